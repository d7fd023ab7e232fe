"""`/docs`: the OpenAPI document shown by Swagger UI 5.35.0, whose files are our own, so that it works offline."""

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

FOLDER = Path(__file__).parent / "swagger"
# Swagger UI sets styles of elements, and shows images that are part of its style sheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ASSETS = StaticFiles(directory=FOLDER)

router = APIRouter()


@router.get("/docs", include_in_schema=False)
async def show_documentation() -> FileResponse:
    return FileResponse(FOLDER / "index.html", headers={"Content-Security-Policy": POLICY})
