"""The multi-source benchmark: corpora of sources whose reliability is known, made of real questions and paragraphs.

After RA-RAG, section 4. `facts` takes questions from a file in the SQuAD format, `answer_kinds` invents wrong answers
of the same kind, `wordings` writes passages, `worlds` decides which source says what. All of it is pure and seeded.
"""
