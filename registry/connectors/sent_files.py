"""Files that are sent by other programs, read as connectors read them."""

from registry.connectors.connector import DocumentOrProblem
from registry.connectors.files import file_documents
from registry.connectors.reading import read_with
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import DocumentLine
from registry.platform.errors import FetchFailed, InvalidInput
from registry.runtime import Runtime

# The source is named apart from its files.
_ANY = "sent"


async def sent_document(runtime: Runtime, path: str, content: bytes) -> DocumentLine:
    """The document of a file, by its path; without a suffix of PDF, Office or HTML files it has to be text.

    Raises `InvalidInput` where it has no text, or more than it may.
    """
    try:
        read = await read_with(runtime.processes, _document, path, content, runtime.settings.connector_max_bytes)
    except FetchFailed as error:
        raise InvalidInput(f"{path}: {error}", field="file") from error
    if isinstance(read, ConnectorProblem):
        raise InvalidInput(f"{path}: {read.error}", field="file")
    return read


def _document(path: str, content: bytes, max_bytes: int) -> DocumentOrProblem:
    return next(file_documents(path, _ANY, content, max_bytes))
