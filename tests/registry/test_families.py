"""A new reader, chat model, embedder or judge needs an entry in its list, and no edit elsewhere.

Each family is tested in a process of its own, which adds a member before it imports the settings.
"""

import subprocess
import sys

import pytest

READER = """
from answering.readers import READERS, ScriptedReader
from answering.readers.reader import ReaderProvider

READERS.append(
    ReaderProvider(
        name="oracle",
        summary="knows it",
        make=lambda _: ScriptedReader(),
        required={"reader_url": ""},
        calls_model=True,
    )
)

from pydantic import ValidationError
from registry.providers import build_reader
from registry.runtime import Runtime
from registry.settings import Settings

settings = Settings(reader="oracle", reader_url="http://127.0.0.1:1/v1", reader_screened=True)
assert build_reader(settings).name.startswith("scripted after compact:")
assert "`oracle`: knows it" in Settings.model_fields["reader"].description
try:
    Settings(reader="oracle")
except ValidationError as error:
    assert "CREDENCE_READER=oracle needs CREDENCE_READER_URL" in str(error)
else:
    raise AssertionError("a required setting is missing")
account = object()
runtime = Runtime(settings, None, None, build_reader(settings), None).charged_to(account)
assert type(runtime.reader).__name__ == "ChargedReader"
"""

CHAT = """
from answering.models import CHATS, ScriptedChat
from answering.models.chat import ChatProvider

CHATS.insert(
    0,
    ChatProvider(
        name="oracle",
        summary="`oracle`, which knows it",
        serves=lambda settings: settings.chat_model == "oracle",
        make=lambda _: ScriptedChat("42", name="oracle"),
    ),
)

from registry.providers import build_chat
from registry.settings import Settings

assert build_chat(Settings(chat_model="oracle")).name == "oracle"
assert build_chat(Settings(chat_model="other.gguf")).name == "gguf:other"
assert "`oracle`, which knows it" in Settings.model_fields["chat_model"].description
"""

EMBEDDER = """
from answering.embedders import EMBEDDERS, WordLlamaEmbedder
from answering.embedders.embedder import EmbedderProvider

EMBEDDERS.append(EmbedderProvider(name="oracle", summary="knows it", make=lambda _: WordLlamaEmbedder()))

from registry.providers import build_embedder
from registry.settings import Settings

assert isinstance(build_embedder(Settings(embedder="oracle")), WordLlamaEmbedder)
assert "`oracle`: knows it" in Settings.model_fields["embedder"].description
"""

JUDGE = """
from answering.judges import JUDGES, ScriptedJudge
from answering.judges.judge import JudgeProvider

JUDGES.append(JudgeProvider(name="oracle", summary="knows it", make=lambda _: ScriptedJudge(name="oracle")))

from api.http.app import create_app
from registry.providers import Judges
from registry.settings import JudgeKind, Settings

settings = Settings(conflict_judge="oracle")
judges = Judges()
assert judges.of(JudgeKind(settings.conflict_judge)).name == "oracle"
assert judges.of(JudgeKind("oracle")) is judges.of(JudgeKind("oracle"))
assert "`oracle`: knows it" in Settings.model_fields["conflict_judge"].description
schemas = create_app(settings).openapi()["components"]["schemas"]
assert schemas["JudgeKind"]["enum"] == ["compact", "language_model", "oracle"]
assert "JudgeKind" in str(schemas["ConflictParameters"]["properties"]["judge"])
"""


@pytest.mark.parametrize("script", [READER, CHAT, EMBEDDER, JUDGE], ids=["reader", "chat", "embedder", "judge"])
def test_a_new_member_is_found_everywhere(script: str) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
