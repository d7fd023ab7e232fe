"""A new reader, chat model, embedder or judge needs an entry in its list, and no edit elsewhere.

One member is added to each family by a process of its own, before it imports the settings.
"""

import subprocess
import sys

ADD_MEMBERS = """
from answering.embedders import EMBEDDERS, WordLlamaEmbedder
from answering.embedders.embedder import EmbedderProvider
from answering.judges import JUDGES, ScriptedJudge
from answering.judges.judge import JudgeProvider
from answering.models import CHATS, ScriptedChat
from answering.models.chat import ChatProvider
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
CHATS.insert(
    0,
    ChatProvider(
        name="oracle",
        summary="`oracle`, which knows it",
        serves=lambda settings: settings.chat_model == "oracle",
        make=lambda _: ScriptedChat("42", name="oracle"),
    ),
)
EMBEDDERS.append(EmbedderProvider(name="oracle", summary="knows it", make=lambda _: WordLlamaEmbedder()))
JUDGES.append(JudgeProvider(name="oracle", summary="knows it", make=lambda _: ScriptedJudge(name="oracle")))
"""

USE_THEM = """
from pydantic import ValidationError

from api.http.app import create_app
from registry.providers import Judges, build_chat, build_embedder, build_reader
from registry.runtime import Runtime
from registry.settings import JudgeKind, Settings

# The reader
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

# The chat model
assert build_chat(Settings(chat_model="oracle")).name == "oracle"
assert build_chat(Settings(chat_model="other.gguf")).name == "gguf:other"
assert "`oracle`, which knows it" in Settings.model_fields["chat_model"].description

# The embedder
assert isinstance(build_embedder(Settings(embedder="oracle")), WordLlamaEmbedder)
assert "`oracle`: knows it" in Settings.model_fields["embedder"].description

# The judge
settings = Settings(conflict_judge="oracle")
judges = Judges()
assert judges.of(JudgeKind(settings.conflict_judge)).name == "oracle"
assert judges.of(JudgeKind("oracle")) is judges.of(JudgeKind("oracle"))
assert "`oracle`: knows it" in Settings.model_fields["conflict_judge"].description
schemas = create_app(settings).openapi()["components"]["schemas"]
assert schemas["JudgeKind"]["enum"] == ["compact", "language_model", "oracle"]
assert "JudgeKind" in str(schemas["ConflictParameters"]["properties"]["judge"])
"""


def test_new_members_are_found_everywhere() -> None:
    command = [sys.executable, "-W", "error", "-c", ADD_MEMBERS + USE_THEM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
