"""The calls of the service, which both clients send; a test holds each of them against the OpenAPI document."""

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
from api.client.nouns.watches import *
from api.client.nouns.webhooks import *
