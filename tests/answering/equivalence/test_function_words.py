"""Function words around an answer, in languages other than English, make no other class."""

import pytest

from answering.equivalence import answer_key

YEARS = {
    "In welchem Jahr wurde die Mühle von Brin gebaut?": ("1877", "im Jahr 1877", "Im Jahre 1877", "etwa 1877"),
    "En quelle année le moulin de Brin a-t-il été construit ?": ("1877", "en 1877", "En 1877", "environ 1877"),
    "¿En qué año se construyó el molino de Brin?": ("1877", "en el año 1877", "En 1877"),
    "Brin değirmeni hangi yılda inşa edildi ve kim yaptı?": ("1877", "1877'de", "1877 yılında"),  # noqa: RUF001
    "ブリンの水車は何年に建てられましたか。": ("1877年", "1877年に", "1877年の"),
    "브린의 방앗간은 언제 지어졌습니까?": ("1877년", "1877년에"),
    "В каком году была построена мельница?": ("1877", "в 1877 году", "В 1877"),  # noqa: RUF001
    "في أي عام بنيت الطاحونة؟": ("1877", "في عام 1877", "عام 1877"),
}
NAMES = {
    "Brin değirmeni hangi şehirde bulunuyor?": ("Ankara", "Ankara'da", "Ankara'nın", "Ankara'dır", "Ankara'dan"),  # noqa: RUF001
    "ブリンの水車はどの町にありますか。": ("東京", "東京に"),
    "브린의 방앗간은 어느 도시에 있습니까?": ("서울", "서울에서"),
    "Quel moulin a été construit en 1877 ?": ("moulin de Brin", "le moulin de Brin"),
}


@pytest.mark.parametrize(("question", "answers"), (YEARS | NAMES).items())
def test_they_make_no_other_class(question: str, answers: tuple[str, ...]) -> None:
    assert len({answer_key(answer, question=question) for answer in answers}) == 1


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("¿Cuál es la capital de El Salvador?", ("El Salvador", "Salvador")),
        ("本当の名前は何ですか。", ("きのこ", "きのこの")),
        ("Bis wann war die Mühle von Brin offen?", ("1877", "bis 1877", "nach 1877")),
        ("Brin değirmeni hakkında hangi kitapta bilgi var?", ("Kur'an", "Kur")),  # noqa: RUF001
        ("何時まで開いていますか。", ("8時", "8時まで", "8時から")),
        ("Who wrote it in the end?", ("im Jahr 1877", "1877")),
    ],
)
def test_what_says_more_stays(question: str, answers: tuple[str, ...]) -> None:
    assert len({answer_key(answer, question=question) for answer in answers}) == len(answers)
