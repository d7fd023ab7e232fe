"""The calls of the service: each function or operation makes a `Call`, which both clients send.

A test holds every call against the OpenAPI document: path, method, parameters, fields of the body, and the response.
"""

from api.client.nouns.answers import *
from api.client.nouns.connectors import *
from api.client.nouns.corpora import *
from api.client.nouns.documents import *
from api.client.nouns.estimations import *
from api.client.nouns.keys import *
from api.client.nouns.people import *
from api.client.nouns.queries import *
from api.client.nouns.sources import *
from api.client.nouns.votes import *
from api.client.nouns.webhooks import *
