"""What happens to every request before its route: plain ASGI, one file each."""
