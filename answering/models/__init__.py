"""Chat models: the members of the family, and wrappers with limits and budgets."""

from answering.models.chat import GREEDY, SEED, Chat, ChatProvider, Completion, Sampling
from answering.models.llamacpp import GGUF, LlamaCppChat
from answering.models.openai import OPENAI, OpenAIChat
from answering.models.usage import Budget, Meter, Usage
from answering.models.wrappers import LimitedChat, MeteredChat

CHATS: list[ChatProvider] = [OPENAI, GGUF]

__all__ = [
    "CHATS",
    "GREEDY",
    "SEED",
    "Budget",
    "Chat",
    "Completion",
    "LimitedChat",
    "LlamaCppChat",
    "Meter",
    "MeteredChat",
    "OpenAIChat",
    "Sampling",
    "Usage",
]
