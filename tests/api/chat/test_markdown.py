"""What sources wrote is shown in a chat and never becomes a link, an image or markup."""

from api.chat.reply import escape, web_address
from tests.tables import for_each


@for_each(
    "text",
    [
        "![pixel](https://evil.example/x.png)",
        "[click](https://evil.example)",
        "[id]: https://evil.example",
        "<img src=https://evil.example>",
        "&lt;b&gt;",
        "see https://evil.example/a or www.evil.example or me@evil.example",
        "<think>secret</think>",
        "**bold** _it_ `code` ~~gone~~ $x$ {{HTML_FILE_ID_1}}",
        "# heading\n- item\n\n| a | b |",
    ],
)
def test_nothing_is_left_to_interpret(text: str) -> None:
    shown = escape(text)
    for markup in ("![", "](", "<", ">", "://", "www.", "mailto:", "\n", "{{", "**", "~~"):
        assert markup not in shown.replace("\\*\\*", "").replace("\\~\\~", "").replace("\\{\\{", "")
    assert "&lt;b" not in escape("&lt;b&gt;")


def test_only_web_addresses_are_linked() -> None:
    assert web_address("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"
    for address in (
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "file:///etc/passwd",
        "",
        None,
        "https://[",
    ):
        assert web_address(address) is None


def test_an_address_cannot_leave_its_link() -> None:
    address = web_address('https://example.org/) ![x](https://evil.example/<>"`\\')
    assert address is not None
    assert not set(address) & set(' ()[]<>"`\\!')
