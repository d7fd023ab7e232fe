"""The halves of what is asked: one is for developing, the other is reported; fixed by a hash of each text."""

import hashlib
from enum import StrEnum


class Half(StrEnum):
    """Which half is measured."""

    DEVELOP = "develop"
    REPORT = "report"
    BOTH = "both"

    def has(self, text: str) -> bool:
        """Whether a text belongs to it."""
        return self is Half.BOTH or self is half_of(text)


def half_of(text: str) -> Half:
    """The half of a text: by its hash, so that it stays where others are added."""
    # Other hashes of the same texts split other data (`benchmarks.data.splits`), on which these must not depend.
    digest = hashlib.sha256(f"half of {text}".encode()).digest()
    return Half.REPORT if digest[0] % 2 else Half.DEVELOP
