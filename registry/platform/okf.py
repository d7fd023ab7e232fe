"""Where documents keep what they are in a bundle of the Open Knowledge Format."""

from typing import Final

CONCEPT: Final = "okf_concept"
"""The attribute with the id of the concept."""
ENTRY: Final = "okf_source"
"""The attribute with the id, or else the resource, of the entry of the concept's `sources` that says it."""
