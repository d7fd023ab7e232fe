"""Prints the OpenAPI document: `python -m api.http.openapi`."""

import json

from api.app import create_app
from registry.settings import Settings

print(json.dumps(create_app(Settings()).openapi()))
