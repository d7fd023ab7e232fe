"""Who sits at this terminal."""

import getpass

UNKNOWN = "command line"


def operator_name() -> str:
    """The user's login name, to be stored with what they decide."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return UNKNOWN
