"""The compact reader beside language models: right answers, abstention on noise, speed and memory."""

from benchmarks.harness import Benchmark, Headline

_QWEN = {f"Qwen2.5-Coder-{size}B": f"qwen-coder-{size.lower()}b" for size in ("0.5", "1.5")}


def _sample(title: str, figure: str, *, aim: float | None = None, higher: bool = True, form: str = ".3f") -> Headline:
    rivals = {name: f"sample.{file}.{figure}" for name, file in _QWEN.items()}
    return Headline(f"{title}, 150 unseen RAMDocs passages", f"sample.compact.{figure}", rivals, aim, higher, form)


BENCHMARK = Benchmark(
    "reader",
    "the compact reader: answers, abstention, cost",
    page="reader",
    headlines=(
        _sample("exact answers", "exact", aim=0.581),
        _sample("answers that contain the right one", "contained", aim=0.581),
        _sample("abstentions on noise", "noise_abstained"),
        _sample("a passage", "milliseconds", aim=32, higher=False, form=",.1f ms"),
        Headline("F1 on XQuAD-en", "xquad_f1"),
        Headline("passages a second, both cores", "passages_per_second", form=".0f"),
    ),
)
