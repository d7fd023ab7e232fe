"""Connectors."""

from api.client.call import Nothing, Operation, Sending, SendingTo
from api.http.schemas.connectors import ConnectorList, ConnectorView
from registry.connectors.schemas import ConnectorInput, ConnectorPatch

list_connectors = Operation("GET /connectors", ConnectorList)
create_connector = Sending("POST /connectors", ConnectorView, ConnectorInput)
get_connector = Operation("GET /connectors/{connector_id}", ConnectorView)
update_connector = SendingTo("PATCH /connectors/{connector_id}", ConnectorView, ConnectorPatch)
run_connector = Operation("POST /connectors/{connector_id}:run", ConnectorView)
delete_connector = Operation("DELETE /connectors/{connector_id}", Nothing)
