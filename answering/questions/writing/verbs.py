"""Verbs and nouns that the wording of questions goes by. English; a verb that is missing costs a question, no more."""

from typing import Final

from answering.text import word_set

# Base forms of past forms, of verbs that often stand with a year or a date.
BASES: Final = {
    "acquired": "acquire", "arrived": "arrive", "became": "become", "began": "begin", "bought": "buy", "built": "build",
    "burned": "burn", "burnt": "burn", "came": "come", "closed": "close", "collapsed": "collapse",
    "completed": "complete", "designed": "design", "died": "die", "ended": "end", "erupted": "erupt",
    "established": "establish", "fell": "fall", "founded": "found", "had": "have", "held": "hold",
    "introduced": "introduce", "joined": "join", "launched": "launch", "led": "lead", "left": "leave", "lost": "lose",
    "made": "make", "married": "marry", "merged": "merge", "met": "meet", "moved": "move", "opened": "open",
    "published": "publish", "ran": "run", "ratified": "ratify", "reached": "reach", "released": "release",
    "retired": "retire", "rose": "rise", "sank": "sink", "sold": "sell", "started": "start", "took": "take",
    "went": "go", "won": "win", "wrote": "write",
}  # fmt: skip
FINITE: Final = BASES.keys() | word_set("said told kept paid put saw sent stood gave got has had is was were are")
# Past forms of participles that differ from them.
PAST_OF: Final = {
    "beaten": "beat", "begun": "began", "chosen": "chose", "drawn": "drew", "driven": "drove", "given": "gave",
    "seen": "saw", "shown": "showed", "stolen": "stole", "taken": "took", "written": "wrote",
}  # fmt: skip
SAME_PAST: Final = word_set(
    "bought brought built caught cut found held hit laid led made paid put run sent sold taught told won"
)
# What headlines say that somebody did.
DOES: Final = word_set(
    """acquires agrees announces approves authorises authorizes bans elects endorses exits files hosts joins
    launches legalises legalizes nominates ousts owns pleads quits rejects resigns runs selects signs sues suspends
    tops unveils withdraws"""
)
PEOPLE: Final = word_set(
    """actor actress architect artist author bishop builder candidate captain ceo chair chairman chairwoman champion
    chancellor chief coach commander composer daughter designer director discoverer doctor driver emperor engineer
    father founder governor head host husband inventor judge keeper king leader man manager master mayor minister
    mother nominee owner painter person player poet politician pope president presenter prime professor queen scientist
    secretary senator singer sister son speaker star teacher wife winner woman writer"""
)
