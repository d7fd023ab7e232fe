"""Bounds on a value: over 3,500, at least 42 m, 18 or more, before 1850. None of them is the value itself."""

import re

_BEFORE = {
    "over": "over", "more than": "over", "greater than": "over", "above": "over", "exceeding": "over",
    "in excess of": "over", "upwards of": "over", "upward of": "over",
    "at least": "at least", "no fewer than": "at least", "no less than": "at least", "not less than": "at least",
    "a minimum of": "at least", "minimum of": "at least", "minimum": "at least",
    "under": "under", "less than": "under", "fewer than": "under", "below": "under",
    "at most": "at most", "up to": "at most", "no more than": "at most", "not more than": "at most",
    "a maximum of": "at most", "maximum of": "at most", "maximum": "at most",
    "nearly": "nearly", "almost": "nearly", "just under": "nearly", "close to": "nearly", "just over": "just over",
    "before": "before", "prior to": "before", "after": "after", "since": "since", "until": "until", "till": "until",
    "not": "not",
}  # fmt: skip
_AFTER = {
    "or more": "at least", "or over": "at least", "and over": "at least", "or above": "at least",
    "and above": "at least", "and up": "at least", "or older": "at least", "and older": "at least",
    "minimum": "at least", "+": "at least",
    "or less": "at most", "or fewer": "at most", "or under": "at most", "and under": "at most", "or below": "at most",
    "or younger": "at most", "maximum": "at most", "at most": "at most", "at least": "at least",
}  # fmt: skip
_FRONT = re.compile(rf"(?P<words>{'|'.join(sorted(_BEFORE, key=len, reverse=True))}) (?P<rest>.+)", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(?P<rest>.+?)(?: (?P<words>{'|'.join(map(re.escape, sorted(_AFTER, key=len, reverse=True)))})|(?P<plus>\+))",
    re.IGNORECASE,
)


def split_bound(text: str) -> tuple[str, str] | None:
    """The bound and what is bounded, of a text that begins or ends as one does: `("at least", "42 m")`."""
    if match := _FRONT.fullmatch(text):
        return _BEFORE[match["words"].casefold()], match["rest"]
    if match := _BEHIND.fullmatch(text):
        return _AFTER[(match["words"] or match["plus"]).casefold()], match["rest"]
    return None
