"""`python -m benchmarks.languages.centre`: the mean of multilingual-e5-small's vectors of our questions and passages.

The embedder takes it away from each vector. It needs the extra `languages`.
"""

import numpy as np

from answering.e5.encoder import PASSAGE, QUESTION, E5Encoder
from answering.embedders.e5 import CENTRE
from answering.embedders.embedder import Vectors, normalised
from benchmarks.languages.questions import items


def centre() -> Vectors:
    """(384,)"""
    encoder = E5Encoder()
    of_all = [item for _, of in items() for item in of]
    texts = [QUESTION + item.question for item in of_all] + [PASSAGE + item.passage for item in of_all]
    return np.asarray(normalised(np.stack([encoder.encode(text) for text in texts])).mean(axis=0), dtype=np.float32)


if __name__ == "__main__":
    np.savetxt(CENTRE, centre()[None], fmt="%.5f")
