"""PDF files that are made to harm who reads them."""

import zlib
from collections.abc import Mapping

from tests.fakes.hostile_files.draws import Attack, Draw, empty, noise


def _pdf(*objects: str | bytes, root: int = 1) -> bytes:
    """A PDF of these objects, numbered from 1."""
    content, places = bytearray(b"%PDF-1.7\n"), []
    for number, item in enumerate(objects, 1):
        places.append(len(content))
        content += f"{number} 0 obj\n".encode() + (item.encode() if isinstance(item, str) else item) + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<</Size {count}/Root {root} 0 R>>\nstartxref\n"
    return bytes(content) + f"{end}{len(content)}\n%%EOF".encode()


def _pdf_of(stream: bytes, filters: str = "", page: str = "") -> bytes:
    catalog, pages = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    font = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    one = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources{font}{page}>>"
    body = f"<</Length {len(stream)}{filters}>>\nstream\n".encode() + stream + b"\nendstream"
    return _pdf(catalog, pages, one, body)


def _text(draw: Draw) -> bytes:
    return f"BT /F1 12 Tf 10 100 Td (The tower {draw.random()}) Tj ET".encode()


def _pdf_bomb(draw: Draw) -> bytes:
    packer = zlib.compressobj(1)
    block, count = b"BT (x) Tj ET " * 80_000, draw.choice([50, 300, 600])
    packed = b"".join([*(packer.compress(block) for _ in range(count)), packer.flush()])
    return _pdf_of(packed, "/Filter/FlateDecode")


def _pdf_filters(draw: Draw) -> bytes:
    stream, depth = _text(draw), draw.randrange(5, 60)
    for _ in range(depth):
        stream = zlib.compress(stream)
    return _pdf_of(stream, f"/Filter[{'/FlateDecode' * depth}]")


def _pdf_predictor(draw: Draw) -> bytes:
    columns = draw.choice([2**31 - 1, 10**9, 10**18, -5])
    return _pdf_of(zlib.compress(bytes(10_000)), f"/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns {columns}>>")


def _pdf_loop(draw: Draw) -> bytes:
    kids = "[2 0 R 2 0 R]" if draw.random() < 0.5 else "[3 0 R]"
    return _pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids{kids}/Count 9>>",
        "<</Type/Pages/Kids[2 0 R]/Count 9/Parent 3 0 R>>",
    )


def _pdf_lengths(draw: Draw) -> bytes:
    return _pdf_of(_text(draw)).replace(b"/Length ", b"/Length 9999999")


def _pdf_deep(draw: Draw) -> bytes:
    depth = draw.randrange(2_000, 200_000)
    return _pdf_of(_text(draw), page=f"/Annots {'[' * depth}{']' * depth}")


def _pdf_pages(draw: Draw) -> bytes:
    count = draw.randrange(20_000, 60_000)
    kids = f"<</Type/Pages/Kids[{'3 0 R ' * count}]/Count {count}>>"
    return _pdf("<</Type/Catalog/Pages 2 0 R>>", kids, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]>>")


def _pdf_form(draw: Draw) -> bytes:
    """A form that draws itself."""
    stream = b"/X Do /X Do " * draw.randrange(1, 50)
    return _pdf_of(stream, "/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</X 4 0 R>>>>")


def _pdf_cut(draw: Draw) -> bytes:
    content = _pdf_of(_text(draw))
    return content[: draw.randrange(5, len(content))]


def _pdf_damaged(draw: Draw) -> bytes:
    content = bytearray(_pdf_of(_text(draw)))
    for _ in range(draw.randrange(1, 30)):
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


def _pdf_xref(draw: Draw) -> bytes:
    return _pdf_of(_text(draw)).replace(b"trailer\n<<", b"trailer\n<</Prev %d" % draw.choice([9, 0, 10**9]))


PDF: Mapping[str, Attack] = {
    "bomb": _pdf_bomb,
    "filters of filters": _pdf_filters,
    "predictor": _pdf_predictor,
    "pages in a circle": _pdf_loop,
    "lengths that lie": _pdf_lengths,
    "deep": _pdf_deep,
    "thousands of pages": _pdf_pages,
    "a form in itself": _pdf_form,
    "cut": _pdf_cut,
    "damaged": _pdf_damaged,
    "table in a circle": _pdf_xref,
    "wrong magic": lambda draw: b"PK\x03\x04" + noise(draw),
    "empty": empty,
    "noise": lambda draw: b"%PDF-1.7\n" + noise(draw),
}
