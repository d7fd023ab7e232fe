"""Chat models: one port, a model file, the limits around it, and a scripted one."""

from answering.models.chat import Chat, Completion, Sampling
from answering.models.llamacpp import LlamaCppChat
from answering.models.scripted import ScriptedChat
from answering.models.wrappers import LimitedChat, MeteredChat

__all__ = ["Chat", "Completion", "LimitedChat", "LlamaCppChat", "MeteredChat", "Sampling", "ScriptedChat"]
