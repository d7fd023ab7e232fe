"""Credence for agents: the Model Context Protocol over HTTP and over standard input and output."""

from api.mcp_server.access import AgentAccess
from api.mcp_server.server import build_server

__all__ = ["AgentAccess", "build_server"]
