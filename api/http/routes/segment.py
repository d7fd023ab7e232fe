"""A part of a path that ends before a colon, after which a verb may follow: `/estimations/{id}:cancel`."""

from starlette.convertors import StringConvertor, register_url_convertor


class Segment(StringConvertor):
    """Text without slash and colon, where the framework's own takes everything up to the slash."""

    regex = "[^/:]+"


register_url_convertor("segment", Segment())
SEGMENT = "segment"
