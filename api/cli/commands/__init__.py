"""The commands, by noun: `NAME_app` is `credence NAME`."""
