"""The types of the HTTP interface for TypeScript, `credence.d.ts`: `python -m api.client.types` writes them.

They are made by `openapi-typescript`, which `npm install --prefix tests/clients` installs, from the OpenAPI document
without its examples and headers, and with one failure for each operation. A comment names the digest of that document,
so that a test sees without Node that they are of the present one.
"""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

from api.app import create_app
from registry.settings import Settings

ROOT = Path(__file__).parents[2]
TYPES = Path(__file__).with_name("credence.d.ts")
PROGRAM = ROOT / "tests" / "clients" / "node_modules" / ".bin" / "openapi-typescript"
# Of a field with a default a request says nothing.
OPTIONS = ("--default-non-nullable=false",)
SECONDS = 120.0
NO_TYPES = {
    "exclusiveMinimum",
    "maximum",
    "maxItems",
    "maxLength",
    "minimum",
    "minItems",
    "minLength",
    "pattern",
    "title",
}


def typed_document(document: dict[str, Any]) -> dict[str, Any]:
    """What the types depend on: successes without headers, and one failure in place of all."""
    paths = {
        path: {method: _operation(operation) for method, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    shortened = {"openapi": document["openapi"], "paths": paths, "components": document["components"]}
    return {**_plain(shortened), "info": {"title": "Credence", "version": ""}}


def header(document: dict[str, Any]) -> str:
    """The first line of the types of a document."""
    text = json.dumps(typed_document(document), sort_keys=True)
    return f"// Made by `python -m api.client.types` of the document {hashlib.sha256(text.encode()).hexdigest()}\n"


def _operation(operation: dict[str, Any]) -> dict[str, Any]:
    responses: dict[str, Any] = operation["responses"]
    kept = {
        status: {key: value for key, value in response.items() if key != "headers"}
        for status, response in responses.items()
        if status.startswith("2")
    }
    failure = next((response for status, response in responses.items() if status.startswith(("4", "5"))), None)
    if failure:
        content = {kind: {"schema": media["schema"]} for kind, media in failure["content"].items()}
        kept["default"] = {"description": "A failure.", "content": content}
    described = {key: value for key, value in operation.items() if key != "security"}
    return described | {"responses": kept}


def _plain(value: Any) -> Any:  # noqa: ANN401  (any part of a document)
    """The part without what makes no type, or would only lengthen the comments."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _plain(item)
        for key, item in value.items()
        if key not in {"example", "examples"}
        and (key not in NO_TYPES or isinstance(item, dict))  # a field may have such a name
        and not (key == "default" and isinstance(item, dict) and "description" not in item)
    }


def main() -> None:
    """Write the types."""
    if not PROGRAM.exists():
        raise SystemExit("Install openapi-typescript first: npm install --prefix tests/clients")
    document = create_app(Settings()).openapi()
    given = json.dumps(typed_document(document))
    made = subprocess.run(  # noqa: S603  (a program of the repository)
        [PROGRAM, *OPTIONS], input=given, capture_output=True, text=True, check=True, timeout=SECONDS
    )
    TYPES.write_text(header(document) + made.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
