"""The page translates sentences of the backend by their English text, so that text must be the backend's."""

import json
import re

from tests.architecture.sources import PLACEHOLDER, ROOT, read_sources
from tests.support.page_sentences import SENTENCES_FILE, render_sentences

TRANSLATIONS = ROOT / "frontend" / "src" / "language" / "sentences"
PAIR = re.compile(r'^ {2,4}\[\s*("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*),', re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
MIN_LENGTH = 3
"""Shorter parts, such as an arrow, are found in any text."""
COMPOSED = {
    "Pressure of",
    "in modes",
    "Volume up",
    "Volume down",
    "Click left",
    "Click right",
    "Click middle",
    "was pressed while it was down",
    "was tapped while it was down",
    "and no profile was active",
    "is active only",
    "of its device waits up to",
    "actions fire as before",
    "action fires as before",
    "actions would change",
    "1 action would change",
    "Light note",
    "Light cc",
    "of all modes to",
    "to all modes",
    "the end of mode",
    "the end of profile",
    "the end of all modes",
    "to its default",
    "mappings for this control in this mode",
    "1 mapping for this control in this mode",
    "becomes the default",
    "ms earlier",
    "more change like these",
    "more changes like these",
    "more that appear are not listed",
    "more that vanish are not listed",
    "more that move are not listed",
    "more overlaps that are not listed, none of them new",
    "It is already in mode",
    "is running and paused",
    "push it further",
    "1 device",
    "Pressed",
    "Released",
    "Mode changed",
    "Variable set",
    "every release of",
    "every double tap of",
    "every chord of",
}
"""Parts that the backend composes of words that are apart in its source."""


def list_english_sentences() -> list[str]:
    """Return the English sentences that have a translation, with their placeholders."""
    texts = (path.read_text() for path in sorted(TRANSLATIONS.glob("*.de.ts")))
    return ["".join(STRING.findall(found)) for text in texts for found in PAIR.findall(text)]


def test_each_translated_sentence_is_one_of_the_backend():
    sentences = list_english_sentences()
    assert len(sentences) > 200
    texts = "\n".join(text for source in read_sources() for text in source.texts)
    # Composed sentences are in the file, and begin with a capital letter in the chat.
    texts = f"{texts}\n{json.loads(SENTENCES_FILE.read_text())}".casefold()
    unknown = [
        f"{sentence} (`{part}`)"
        for sentence in sentences
        for part in (one.strip(" ()`'“”:;,.-+%>") for one in PLACEHOLDER.split(sentence))
        if len(part) >= MIN_LENGTH and part not in COMPOSED and part.casefold() not in texts
    ]
    assert unknown == [], f"follow the new words in {TRANSLATIONS}"


def test_the_page_is_tested_with_the_sentences_that_the_backend_composes():
    assert SENTENCES_FILE.read_text() == render_sentences(), (
        "run `python -m tests.support.page_sentences`, then the tests of the page, which fail for each"
        " sentence without a translation"
    )
