"""The pages of the service: drawn by the server from what the HTTP interface gives, without a build step."""
