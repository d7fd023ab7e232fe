"""Chat models: one port, the model behind a URL, the limits around it, and a scripted one."""

from answering.chats.limited import LimitedChat
from answering.chats.port import Chat, Completion, Sampling
from answering.chats.scripted import ScriptedChat

__all__ = ["Chat", "Completion", "LimitedChat", "Sampling", "ScriptedChat"]
