"""What hostile files are made of, drawn by a seed."""

import random
import zlib
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

Draw: TypeAlias = random.Random
Attack: TypeAlias = Callable[[Draw], bytes]

MIB = 2**20
SECRET = "/etc/passwd"


@cache
def zeros(mebibytes: int) -> bytes:
    """So many mebibytes of zeros, deflated without a header."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    block = bytes(MIB)
    return b"".join([*(packer.compress(block) for _ in range(mebibytes)), packer.flush()])


def deep(draw: Draw, tag: str = "a", text: str = "x") -> str:
    """Elements within each other."""
    depth = draw.randrange(5_000, 100_000)
    return f"<{tag}>" * depth + text + f"</{tag}>" * depth


def laughs(draw: Draw, root: str = "a") -> str:
    """Entities of entities, ten of each in the next."""
    levels = draw.randrange(8, 15)
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(levels))
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY e0 "ha">{entities}]><{root}>&e{levels};</{root}>'


def outside(_draw: Draw, root: str = "a") -> str:
    """An entity that is a file of the machine."""
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY e SYSTEM "file://{SECRET}">]><{root}>&e;</{root}>'


def endless(draw: Draw) -> str:
    """A line without an end."""
    return draw.choice("xé漢 \u202e") * draw.randrange(MIB, 3 * MIB)


def noise(draw: Draw) -> bytes:
    """Anything."""
    return draw.randbytes(draw.randrange(1, 100_000))


def empty(_draw: Draw) -> bytes:
    """Nothing."""
    return b""
