"""Office files that are made to harm who reads them."""

import io
import struct
import zipfile
from collections.abc import Callable, Mapping

from tests.fakes.hostile_files.draws import MIB, Attack, Draw, deep, empty, endless, laughs, noise, outside, zeros

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
P = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = {
    "docx": ("word/document.xml", "wordprocessingml.document.main"),
    "xlsx": ("xl/workbook.xml", "spreadsheetml.sheet.main"),
    "pptx": ("ppt/presentation.xml", "presentationml.presentation.main"),
}


def package(kind: str, main: str, **parts: str) -> dict[str, str]:
    """The parts of an Office file by name."""
    name, content_type = MAIN[kind]
    override = (
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{content_type}+xml"/>'
    )
    sheets = "".join(
        f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{declared}+xml"/>'
        for part, declared in {
            "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
            "ppt/slides/slide1.xml": "presentationml.slide",
        }.items()
        if part in parts
    )
    default = '<Default Extension="xml" ContentType="application/xml"/>'
    rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    types = f'<Types xmlns="{PACKAGE}/content-types">{default}{rels}{override}{sheets}</Types>'
    relation = f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="{name}"/>'
    of_package = f'<Relationships xmlns="{PACKAGE}/relationships">{relation}</Relationships>'
    return {"[Content_Types].xml": types, "_rels/.rels": of_package, name: main, **parts}


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of them."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return written.getvalue()


def with_member(content: bytes, name: str, deflated: bytes, size: int, crc: int = 0) -> bytes:
    """A zip archive with one more member, whose size and sum may be lies."""
    directory_at, end_at = struct.unpack_from("<I", content, len(content) - 6)[0], len(content) - 22
    encoded = name.encode()
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, crc, len(deflated), size, len(encoded), 0)
    local = b"PK\x03\x04" + common + encoded + deflated
    entry = b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, directory_at) + encoded
    directory = content[directory_at:end_at] + entry
    count = struct.unpack_from("<H", content, end_at + 10)[0] + 1
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(directory), directory_at + len(local), 0)
    return content[:directory_at] + local + directory + end


def office(kind: str, body: Callable[[Draw, str], str]) -> dict[str, Attack]:
    """The attacks on an Office format, of which `body` writes a file with XML within its text."""
    parts = MAIN[kind][0]

    def good(draw: Draw, inner: str = "") -> bytes:
        return zipped(_parts(kind, body(draw, inner)))

    def bomb(draw: Draw) -> bytes:
        mebibytes = draw.choice([150, 250, 400])
        return with_member(good(draw), "media/a.xml", zeros(mebibytes), mebibytes * MIB)

    def lying(draw: Draw) -> bytes:
        return with_member(good(draw), "docProps/app.xml", zeros(250), draw.randrange(1, 1000))

    def many(draw: Draw) -> bytes:
        extra = {f"{number}/{draw.random()}.xml": "" for number in range(draw.randrange(5_000, 15_000))}
        return zipped(_parts(kind, body(draw, "")) | extra)

    def cut(draw: Draw) -> bytes:
        content = good(draw)
        return content[: draw.randrange(1, len(content))]

    def flipped(draw: Draw) -> bytes:
        content = bytearray(good(draw))
        for _ in range(draw.randrange(1, 30)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        return bytes(content)

    def nested(draw: Draw) -> bytes:
        content = good(draw)
        for _ in range(draw.randrange(2, 30)):
            content = zipped({"word/embeddings/a.zip": content, f"{parts}": content})
        return content

    return {
        "bomb": bomb,
        "size that lies": lying,
        "thousands of members": many,
        "cut": cut,
        "damaged": flipped,
        "archives in archives": nested,
        "wrong magic": lambda draw: (
            draw.choice([b"%PDF-1.7\n", b"\x89PNG", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]) + noise(draw)
        ),
        "deep": lambda draw: good(draw, deep(draw, "w:p" if kind == "docx" else "x")),
        "entities": lambda draw: zipped(_parts(kind, laughs(draw))),
        "entity of a file": lambda draw: zipped(_parts(kind, outside(draw))),
        "endless line": lambda draw: good(draw, endless(draw)),
        "empty": empty,
        "noise": noise,
    }


def _parts(kind: str, main: str) -> dict[str, str | bytes]:
    if kind == "docx":
        return dict(package(kind, main))
    part, relation = {
        "xlsx": ("xl/worksheets/sheet1.xml", "worksheet"),
        "pptx": ("ppt/slides/slide1.xml", "slide"),
    }[kind]
    folder, _, name = MAIN[kind][0].partition("/")
    target = part.removeprefix(f"{folder}/")
    slide = '<p:sldId id="256" r:id="rId1"/>'
    inside = f'xmlns:r="{RELATIONS}"'
    index = {
        "xlsx": f'<workbook {S} {inside}><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "pptx": f"<p:presentation {P} {inside}><p:sldIdLst>{slide}</p:sldIdLst></p:presentation>",
    }[kind]
    relations = f'<Relationship Id="rId1" Type="{RELATIONS}/{relation}" Target="{target}"/>'
    return {
        **package(kind, index, **{part: main}),
        f"{folder}/_rels/{name}.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>',
    }


def _docx(_draw: Draw, inner: str) -> str:
    return f"<w:document {W}><w:body><w:p><w:r><w:t>The tower.{inner}</w:t></w:r></w:p></w:body></w:document>"


def _xlsx(_draw: Draw, inner: str) -> str:
    cell = f'<c r="A1" t="inlineStr"><is><t>The tower.{inner}</t></is></c>'
    return f'<worksheet {S}><sheetData><row r="1">{cell}</row></sheetData></worksheet>'


def _pptx(_draw: Draw, inner: str) -> str:
    text = f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>The tower.{inner}</a:t></a:r></a:p></p:txBody>"
    shape = f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="a"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>{text}</p:sp>'
    group = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    return f"<p:sld {P}><p:cSld><p:spTree>{group}{shape}</p:spTree></p:cSld></p:sld>"


def _sheet(cells: Callable[[Draw], str]) -> Attack:
    return lambda draw: zipped(
        _parts("xlsx", f"<worksheet {S}>{cells(draw)}</worksheet>"),
    )


# One sheet of a text, and one that is as wide and as long as there can be.
FAR = (
    f'<worksheet {S}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>The tower</t></is></c></row>'
    '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row></sheetData></worksheet>'
)


def _elsewhere(_draw: Draw) -> bytes:
    parts = _parts("xlsx", "")
    del parts["xl/worksheets/sheet1.xml"]
    moved = {name: str(part).replace("worksheets/sheet1.xml", "other/s.xml") for name, part in parts.items()}
    return zipped(moved | {"xl/other/s.xml": FAR})


def _as_utf16(_draw: Draw) -> bytes:
    parts = _parts("xlsx", "")
    return zipped(
        parts | {"xl/worksheets/sheet1.xml": f'<?xml version="1.0" encoding="UTF-16"?>{FAR}'.encode("utf-16")}
    )


def _tables(draw: Draw) -> bytes:
    depth = draw.randrange(100, 3_000)
    tables = "<w:tbl><w:tr><w:tc>" * depth + "</w:tc></w:tr></w:tbl>" * depth
    return zipped(_parts("docx", f"<w:document {W}><w:body>{tables}</w:body></w:document>"))


def _groups(draw: Draw) -> bytes:
    depth = draw.randrange(100, 5_000)
    inner = "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>" * depth + "</p:grpSp>" * depth
    return zipped(_parts("pptx", f"<p:sld {P}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:sld>"))


DOCX = office("docx", _docx) | {"tables in tables": _tables}
XLSX = office("xlsx", _xlsx) | {
    "two far cells": _sheet(
        lambda _: '<sheetData><row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row></sheetData>'
    ),
    "far cells elsewhere": _elsewhere,
    "far cells in UTF-16": _as_utf16,
    "a far cell after spaces": lambda _: zipped(_parts("xlsx", FAR.replace('r="XFD', 'r = "XFD'))),
    "a far cell by an entity": lambda _: zipped(_parts("xlsx", FAR.replace('r="XFD', 'r="&#88;FD'))),
    "a far row": _sheet(
        lambda _: '<sheetData><row r="1048576"><c t="inlineStr"><is><t>x</t></is></c></row></sheetData>'
    ),
    "dimension": _sheet(
        lambda _: '<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"/></row></sheetData>'
    ),
    "merged": _sheet(lambda _: '<sheetData/><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    "many rows": _sheet(
        lambda draw: f"<sheetData>{'<row><c><v>1</v></c></row>' * draw.randrange(50_000, 300_000)}</sheetData>"
    ),
}
PPTX = office("pptx", _pptx) | {"groups in groups": _groups}
