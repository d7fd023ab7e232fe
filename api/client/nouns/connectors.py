"""Connectors."""

from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, of_corpus
from api.http.schemas.connectors import ConnectorList, ConnectorView
from registry.connectors.schemas import ConnectorInput, ConnectorPatch


def list_connectors(*, corpus: str = DEFAULT) -> Call[ConnectorList]:
    """The connectors with the reports of their last runs."""
    return of_corpus("GET", "/connectors", ConnectorList, corpus)


def create_connector(connector: ConnectorInput, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """Make a connector."""
    return of_corpus("POST", "/connectors", ConnectorView, corpus, connector)


def get_connector(connector_id: UUID, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """A connector with the report of its last run."""
    return of_corpus("GET", "/connectors/{connector_id}", ConnectorView, corpus, connector_id=connector_id)


def update_connector(connector_id: UUID, patch: ConnectorPatch, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """Change a connector; what is left out stays."""
    return of_corpus("PATCH", "/connectors/{connector_id}", ConnectorView, corpus, patch, connector_id=connector_id)


def run_connector(connector_id: UUID, *, corpus: str = DEFAULT) -> Call[ConnectorView]:
    """Queue a run of a connector."""
    return of_corpus("POST", "/connectors/{connector_id}:run", ConnectorView, corpus, connector_id=connector_id)


def delete_connector(connector_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a connector with its schedule; its documents stay."""
    return of_corpus("DELETE", "/connectors/{connector_id}", Nothing, corpus, connector_id=connector_id)
