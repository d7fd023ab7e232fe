"""The tokenizer of multilingual-e5-small: the unigram model of XLM-R (Conneau et al. 2020, arXiv:1911.02116).

SentencePiece holds its 250,002 pieces in 30 MB; the tokenizers of Hugging Face, from the same pieces, in 260 MB.
"""

from collections.abc import Sequence

from answering.e5.weights import E5Weights

BEGIN, PADDING, END, UNKNOWN = range(4)
# What is no text: these and the last, which stands for a word that is masked in training.
CONTROL = (BEGIN, PADDING, END)


class E5Tokenizer:
    """Safe for use by several threads at once."""

    def __init__(self, weights: E5Weights) -> None:
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415  (of an extra)

        self._normalization = dict(weights.normalization)
        self._model = SentencePieceProcessor(model_proto=_model(weights.pieces(), weights.scores.tolist()))

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, without those for its beginning and end; a lone surrogate counts as a question mark."""
        encodable = text.encode("utf-8", "replace").decode("utf-8")
        tokens: list[int] = self._model.encode(encodable.translate(self._normalization))
        return tokens

    def located(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The same, and for each token the characters [start, end) of the text that it stands for."""
        encodable = text.encode("utf-8", "replace").decode("utf-8")
        normalized = [self._normalization.get(ord(character), character) for character in encodable]
        origins = [at for at, characters in enumerate(normalized) for _ in characters]
        found = self._model.encode("".join(normalized), return_type="offset_mapping")
        offsets = []
        for first, last in found["offsets"]:
            start, end = (origins[first], origins[last - 1] + 1) if first < last else (0, 0)
            # A piece that begins a word holds the blanks before it.
            offsets.append((end - len(text[start:end].lstrip()), end))
        return found["ids"], offsets


def _model(pieces: Sequence[str], scores: Sequence[float]) -> bytes:
    """The pieces as a model of SentencePiece, which normalizes nothing itself."""
    from sentencepiece import sentencepiece_model_pb2 as protocol  # noqa: PLC0415  (of an extra)

    kinds = protocol.ModelProto.SentencePiece
    kind = dict.fromkeys((*CONTROL, len(pieces) - 1), kinds.CONTROL) | {UNKNOWN: kinds.UNKNOWN}
    model = protocol.ModelProto(
        pieces=[
            {"piece": piece, "score": score, "type": kind.get(number, kinds.NORMAL)}
            for number, (piece, score) in enumerate(zip(pieces, scores, strict=True))
        ],
        trainer_spec={
            "model_type": protocol.TrainerSpec.UNIGRAM,
            "bos_id": BEGIN,
            "pad_id": PADDING,
            "eos_id": END,
            "unk_id": UNKNOWN,
        },
        normalizer_spec={"name": "identity"},
    )
    serialized: bytes = model.SerializeToString()
    return serialized
