"""Chat models: one port, a model file, the limits around it, and a scripted one."""

from answering.chats.limited import LimitedChat
from answering.chats.llamacpp import LlamaCppChat
from answering.chats.metered import MeteredChat
from answering.chats.port import Chat, Completion, Sampling
from answering.chats.scripted import ScriptedChat

__all__ = ["Chat", "Completion", "LimitedChat", "LlamaCppChat", "MeteredChat", "Sampling", "ScriptedChat"]
