"""Templates of chat front ends, as their releases send them, and messages that only look like them."""

import json
import time

import pytest

from answering.questions.conversation import Role, Turn
from api.chat.chat import reply_to_task, typed_by_user
from tests.tables import for_each

HISTORY = "<chat_history>\nUSER: What colour is the tower of Aldra painted?\nASSISTANT: **red**\n</chat_history>"
OPEN_WEBUI = {
    "title": (
        "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:\n"
        '- The title should clearly represent the main theme.\n### Output:\nJSON format: { "title": "your concise title'
        f' here" }}\n### Examples:\n- {{ "title": "📉 Stock Market Trends" }}\n### Chat History:\n{HISTORY}'
    ),
    "tags": (
        "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, along with 1-3 more "
        f'tags.\n### Output:\nJSON format: {{ "tags": ["tag1", "tag2"] }}\n### Chat History:\n{HISTORY}'
    ),
    "follow_ups": (
        "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next in this "
        'conversation as a **user**.\n### Output:\nJSON format: { "follow_ups": ["Question 1?", "Question 2?"] }\n'
        f"### Chat History:\n{HISTORY}"
    ),
    "queries": (
        "### Task:\nAnalyze the chat history to determine the necessity of generating search queries, in the given "
        f'language.\n### Output:\nStrictly return in JSON format: \n{{\n  "queries": ["query1"]\n}}\n{HISTORY}'
    ),
    "text": (
        "### Task:\nYou are an autocompletion system. Continue the text in `<text>` based on the **completion type** "
        'in `<type>`.\n### **Output Rules**:\n- Respond only in JSON format: `{ "text": "<your_completion>" }`.\n'
        "### Context:\n<chat_history>\n</chat_history>\n<type>General</type>\n<text>What colour</text>\n#### Output:\n"
    ),
}
LIBRECHAT = (
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title "
    "itself.\n\nConversation:\nUser: What colour is the tower of Aldra painted?\nAI: red"
)
N8N = (
    "Generate a concise and descriptive title for an AI chat conversation starting with the user's message (quoted "
    "with '>>>') below.\n\n>>> What colour is the tower of Aldra painted?\n\nRequirements:\n- 1 to 4 words\n\n"
    "Respond the title only:"
)
TITLE = "What colour is the tower of Aldra painted"


def reply(text: str, system: str = "") -> str | None:
    return reply_to_task(system, [Turn(Role.USER, text)])


@for_each("field", OPEN_WEBUI)
def test_tasks_of_open_webui_get_the_json_they_ask_for(field: str) -> None:
    answered = json.loads(reply(OPEN_WEBUI[field]) or "")
    assert (
        answered
        == {
            "title": {"title": TITLE},
            "tags": {"tags": ["General"]},
            "follow_ups": {"follow_ups": []},
            "queries": {"queries": []},
            "text": {"text": ""},
        }[field]
    )


def test_tools_are_offered_in_a_system_message() -> None:
    system = 'Available Tools: []\n\nYour task is to choose.\nReturn {"tool_calls": []} where none fits.'
    assert json.loads(reply("Query: What colour?", system) or "") == {"tool_calls": []}


def test_titles_of_librechat_and_n8n_are_plain() -> None:
    assert reply(LIBRECHAT) == reply(N8N) == TITLE


@for_each("text", ["What is a title for the tower?", "### Task: who painted the tower?", "title?"])
def test_questions_are_no_tasks(text: str) -> None:
    assert reply(text) is None


def test_a_question_with_files_is_taken_out_of_its_template() -> None:
    template = "### Task:\nRespond to the user query using the provided context, incorporating inline citations.\n\n"
    context = '<context>\n<source id="1">{ "title": "x" } <chat_history></source>\n</context>\n\n'
    for message in (
        f"{template}{context}What colour?",
        f"{template}{context}<user_query>\nWhat colour?\n</user_query>",
    ):
        assert reply(message) is None
        assert typed_by_user(message) == "What colour?"
    assert typed_by_user("What colour?") == "What colour?"


@pytest.mark.parametrize(
    "text",
    [
        "### Task:" + '{ "title": ' * 300_000,
        "### Task:" + "{" + " " * 3_000_000,
        '### Task: { "title": <chat_history>USER:' + " " * 3_000_000,
        " " * 3_000_000,
        "Available Tools:" + '"tool_calls' * 300_000,
    ],
)
def test_long_messages_take_no_longer(text: str) -> None:
    started = time.perf_counter()
    reply(text, text)
    typed_by_user(text)
    assert time.perf_counter() - started < 5


def test_half_a_surrogate_pair_is_not_sent_back() -> None:
    assert (reply(LIBRECHAT.replace("What", "\ud800What")) or "").startswith("?What")
