"""Names and docstrings use the ordinary words of the field."""

import re

from tests.architecture.sources import read_sources

NOT_A_FIRST_WORD = {"Give", "Gives", "Say", "Says", "Tell", "Tells", "Have", "Let", "Lets", "Take"}
INSTEAD = {
    "Desk": "Services, Deps or Controller",
    "Shelf": "Catalog, Store or Cache",
    "Means": "Options",
    "News": "Event",
    "Standing": "State or Status",
    "Warden": "Reaper or Supervisor",
    "Twig": "Node",
    "Patience": "Timeout",
}
PAST_PARTICIPLES = {"told", "kept", "brought", "mended", "added", "heard", "ended", "said", "shown"}


def test_a_docstring_begins_with_what_the_function_does():
    wrong = [
        f"{source.path}:{line} {text.splitlines()[0]}"
        for source in read_sources()
        for line, text in source.docstrings
        if re.split(r"\W", text, maxsplit=1)[0] in NOT_A_FIRST_WORD
    ]
    assert wrong == [], "begin with Return, Check, Send, Build or another verb of what it does"


def test_classes_are_named_by_words_of_the_field():
    wrong = {
        f"{source.path}:{line} {name}": f"use {INSTEAD[word]}"
        for source in read_sources()
        for line, name in source.classes
        for word in re.findall(r"[A-Z][a-z]+", name)
        if word in INSTEAD
    }
    assert wrong == {}


def test_no_module_is_named_by_a_past_participle():
    wrong = [str(one.path) for one in read_sources() if one.path.stem in PAST_PARTICIPLES]
    assert wrong == [], "name a module after what it contains"
