"""Chat models: one port, a model file, the limits around it, and a scripted one."""

from answering.models.chat import Chat, Completion, Sampling
from answering.models.limited import LimitedChat
from answering.models.llamacpp import LlamaCppChat
from answering.models.metered import MeteredChat
from answering.models.scripted import ScriptedChat

__all__ = ["Chat", "Completion", "LimitedChat", "LlamaCppChat", "MeteredChat", "Sampling", "ScriptedChat"]
