"""Messages in other languages are searched by their English words."""

from collections import Counter
from pathlib import Path

import pytest
from tests.knowledge.conftest import ROOT

from conductor.errors import ConfigError
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.translation import LANGUAGES, Translator, read_vocabulary

PATH = ROOT / "knowledge" / "languages.toml"
VOCABULARY = read_vocabulary(PATH)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator(VOCABULARY)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_phrase_of_a_language_has_one_meaning(language: str):
    column = LANGUAGES.index(language) + 1
    phrases = Counter(
        phrase.strip() for row in VOCABULARY.rows for phrase in row[column].split(",") if phrase
    )
    assert sum(phrases.values()) > 500
    assert [phrase for phrase, count in phrases.items() if count > 1] == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie stelle ich die Lautstärke ein?", "de"),
        ("was ist NRPN", "de"),
        ("comment régler le volume", "fr"),
        ("¿Qué es MPE?", "es"),
        ("come si imposta il volume", "it"),
        ("como mudo o volume com um botão?", "pt"),
        ("つまみで音量を変えたい", "ja"),
        ("which CC is the sustain pedal", None),
        ("MIDI-CI discovery", None),
        ("hat switch null state", None),
        ("X-Touch Mini", None),
    ],
)
def test_a_language_is_told_by_its_words(translator: Translator, text: str, language: str | None):
    assert translator.find_language(text) == language


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Lautstärkeregler", {"volume", "knob"}),
        ("Wie drehe ich an den Drehreglern der X-Touch?", {"how", "turn", "knob", "X-Touch"}),
        ("Solange ich drücke, soll das Mikro an sein", {"held", "press", "microphone"}),
        ("quels CC envoient les potards du MX49 ?", {"which", "CC", "send", "knob", "MX49"}),
        ("Wie rechne ich das auf 255 um?", {"convert", "255"}),
        ("Pipewire zeigt mein Gerät nicht an", {"show", "not", "device"}),
        ("solange ich draufklopfe", {"held", "hit"}),
        ("der encoder dreht rueckwaerts", {"encoder", "turn", "reversed"}),
        ("ohne die Noten umzublättern", {"without", "turn", "page"}),
        ("kommt immer der Nachbarklang", {"always", "sound"}),
        ("l'écran s'éteint", {"screen"}),
        ("¿qué mandan los botones?", {"what", "send", "button"}),
        ("la pantalla está bloqueada", {"screen", "lock"}),
        ("le manopole non funzionano", {"knob", "not", "work"}),
        ("o botão não faz nada", {"button", "does", "nothing"}),
        ("パッドを2回押したい", {"pad", "double", "tap"}),
        ("Art-Net auf Port 6454", {"Art-Net", "6454"}),
    ],
)
def test_inflected_words_compounds_and_phrases_become_english(
    translator: Translator, text: str, words: set[str]
):
    assert words <= set(translator.translate(text).replace("?", " ").replace(",", " ").split())


def test_an_english_text_stays_as_it_is(translator: Translator):
    text = "How do I light a pad on my APC mini?"
    assert translator.translate(text) == text


def test_a_row_with_too_few_columns_is_reported(tmp_path: Path):
    path = tmp_path / "languages.toml"
    path.write_text(
        '[function_words]\nde = "der"\n[terms]\nrows = """\nknob | Regler\n"""\n', "utf-8"
    )
    with pytest.raises(ConfigError, match="'knob' needs 7 columns"):
        read_vocabulary(path)


def test_function_words_of_an_unknown_language_are_reported(tmp_path: Path):
    path = tmp_path / "languages.toml"
    row = "knob | Regler | potard | perilla | manopola | botão | つまみ"
    path.write_text(
        f'[function_words]\nde = "der"\nnl = "het een"\n[terms]\nrows = """\n{row}\n"""\n', "utf-8"
    )
    with pytest.raises(ConfigError, match=r"languages\.toml: the language 'nl'"):
        read_vocabulary(path)


def test_without_the_file_nothing_is_translated(library: KnowledgeBase):
    assert library.get_index().prepare_text("Wie laut ist das?") == "Wie laut ist das?"
