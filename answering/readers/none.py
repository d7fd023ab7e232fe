"""No reader: nothing is read, so that sources, documents and search are all there is."""

from answering.readers.reader import ReaderProvider

NONE = ReaderProvider(name="none", summary="no reader", make=lambda _settings: None)
