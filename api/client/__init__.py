"""A Python client of the HTTP interface: `Client` and `AsyncClient` send the calls that `calls` makes.

with Client("http://127.0.0.1:8000", key="crd_...") as client:
    answer = client.send(calls.ask("In which city was the Zephyr 3 announced?"))
    run = client.send(calls.start_estimation())
    for event in client.follow(calls.follow_estimation(run.id)):
        print(event.kind, event.data)
"""

from api.client.clients import AsyncClient, Client
from api.client.exchanges import ApiFailure

__all__ = ["ApiFailure", "AsyncClient", "Client"]
