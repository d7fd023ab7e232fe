"""Conditions on the metadata of documents, as SQL whose text is all ours: what callers send are its parameters."""

from collections.abc import Mapping
from typing import Final

from registry.passages.schemas import MetadataCondition, MetadataFilter, MetadataOperator

# A name means one of these, else an attribute of the document, of which those of a list are looked at one by one.
COLUMNS: Final[Mapping[str, str]] = {
    "title": "documents.title",
    "source": "sources.name",
    "url": "coalesce(documents.url, sources.url)",
    "published_at": "to_char(documents.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    "external_id": "documents.external_id",
    "path": "coalesce(documents.url, sources.url, documents.external_id)",
    "document_id": "CAST(documents.id AS text)",
}
_OF_COLUMN = "SELECT COLUMN AS value"
_OF_ATTRIBUTE = """
    SELECT value FROM jsonb_array_elements_text(
        CASE jsonb_typeof(documents.attributes -> CAST(:NAME AS text))
        WHEN 'array' THEN documents.attributes -> CAST(:NAME AS text)
        ELSE jsonb_build_array(documents.attributes -> CAST(:NAME AS text)) END
    ) AS listed (value)
"""
# What is no number, or no time, compares as null: a cast that fails would fail the search.
_NUMBER = r"(CASE WHEN value ~ '^[+-]?\d{1,100}(\.\d{1,100})?$' THEN CAST(value AS numeric) END)"
_DAY = r"^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_CLOCK = r"([Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-](0\d|1[0-4]):[0-5]\d))?$"
_SECONDS = r"^\d{1,11}(\.\d{1,9})?$"
_TIME = f"""
    (CASE WHEN value ~ '{_DAY}{_CLOCK}' THEN
        -- In a month that has so many days.
        CASE WHEN substr(value, 9, 2)::int <= date_part('day', make_date(
            substr(value, 1, 4)::int, substr(value, 6, 2)::int, 1) + interval '1 month - 1 day')
        THEN CAST(CASE length(value) WHEN 10 THEN value || 'T00:00:00Z' ELSE value END AS timestamptz) END
    WHEN value ~ '{_SECONDS}' THEN to_timestamp(CAST(value AS float8)) END)
"""
_TESTS: Final[Mapping[MetadataOperator, str]] = {
    MetadataOperator.CONTAINS: "strpos(value, :GIVEN) > 0",
    MetadataOperator.STARTS: "starts_with(value, :GIVEN)",
    MetadataOperator.ENDS: "right(value, length(:GIVEN)) = :GIVEN",
    MetadataOperator.IN: "value = ANY(CAST(:GIVEN AS text[]))",
    MetadataOperator.PRESENT: "value <> ''",
    MetadataOperator.EQUAL: f"{_NUMBER} = CAST(:GIVEN AS numeric)",
    MetadataOperator.ABOVE: f"{_NUMBER} > CAST(:GIVEN AS numeric)",
    MetadataOperator.AT_LEAST: f"{_NUMBER} >= CAST(:GIVEN AS numeric)",
    MetadataOperator.BELOW: f"{_NUMBER} < CAST(:GIVEN AS numeric)",
    MetadataOperator.AT_MOST: f"{_NUMBER} <= CAST(:GIVEN AS numeric)",
    MetadataOperator.BEFORE: f"{_TIME} < CAST(:GIVEN AS timestamptz)",
    MetadataOperator.AFTER: f"{_TIME} > CAST(:GIVEN AS timestamptz)",
}


def metadata_condition(metadata: MetadataFilter) -> str:
    """The condition on passages, with `{source_id}` for their source; its parameters are `metadata_parameters`."""
    conditions = [_condition(number, condition) for number, condition in enumerate(metadata.conditions)]
    joined = (" AND " if metadata.all else " OR ").join(conditions)
    return f"""
    AND document_id IN (
        SELECT documents.id FROM documents JOIN sources ON sources.id = documents.source_id
        WHERE documents.source_id = {{source_id}} AND ({joined.replace("{", "{{").replace("}", "}}")})
    )
    """  # noqa: S608  (our own words)


def metadata_parameters(metadata: MetadataFilter) -> dict[str, object]:
    parameters: dict[str, object] = {}
    for number, condition in enumerate(metadata.conditions):
        parameters[f"given_{number}"] = condition.value
        parameters |= {f"name_{number}_{place}": name for place, name in enumerate(condition.names)}
    return parameters


def _condition(number: int, condition: MetadataCondition) -> str:
    values = " UNION ALL ".join(
        _OF_COLUMN.replace("COLUMN", COLUMNS[name])
        if name in COLUMNS
        else _OF_ATTRIBUTE.replace("NAME", f"name_{number}_{place}")
        for place, name in enumerate(condition.names)
    )
    test = _TESTS[condition.operator].replace("GIVEN", f"given_{number}")
    return f"{'NOT ' * condition.negated}EXISTS (SELECT FROM ({values}) AS found (value) WHERE {test})"
