"""Names of months and days, in lower case. English."""

from answering.text.normalisation import word_set

MONTHS = word_set("january february march april may june july august september october november december")
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
