"""Feeds of sources that turn or fall. Only the response to a new one has its path, this once."""

from api.client.call import Nothing, Operation, Sending
from api.http.schemas.watches import NewWatchView, WatchList
from registry.watches.schemas import WatchInput

list_watches = Operation("GET /watches", WatchList)
create_watch = Sending("POST /watches", NewWatchView, WatchInput, is_repeatable=False)
remove_watch = Operation("DELETE /watches/{watch_id}", Nothing)
