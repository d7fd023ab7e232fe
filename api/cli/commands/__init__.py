"""The commands, one file each: `app` in the file `NAME.py` is `credence NAME`."""
