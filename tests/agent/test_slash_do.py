"""`/do` plans to perform the action of the mapping with a name, as push-to-talk writes it."""

import pytest
from tests.support.simulate import config

from conductor.agent.slash.answer import SlashCall, SlashText
from conductor.agent.slash.commands import parse_command
from conductor.domain.config import Config
from conductor.domain.spoken_names import find_spoken_name, format_do_command, list_spoken_names


def named(description: str, keys: str, note: int = 36) -> dict[str, object]:
    return {
        "description": description,
        "trigger": {"type": "Note", "note": note},
        "action": {"type": "Keystroke", "keys": keys},
    }


CONFIG = config(
    [named("Copy", "cmd+c"), named("Zoom in", "cmd+plus", 37)],
    modes={
        "Live": [named("Mute microphone", "m"), named("Bézier: 2nd", "b", 38)],
        "Stage": [named("mute microphone", "f1"), named("Copy", "cmd+c", 39)],
    },
)


def asked(text: str) -> object:
    call = parse_command(text, CONFIG, ())
    assert isinstance(call, SlashCall), call
    assert call.tool == "conductor_preview_action"
    action = call.arguments["action"]
    return action.get("keys") or action.get("mode")


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("/do copy", ("cmd", "c")),  # twice in the config, with the same action
        ("/do Zoom in", ("cmd", "plus")),
        ("/do mute microphone in mode Live", ("m",)),
        ("/do mute microphone in Stage", ("f1",)),
        ("/do bezier 2ND", ("b",)),
        ("/do mode stage", "Stage"),
    ],
)
def test_a_name_becomes_a_plan_to_perform_its_action(text: str, does: object):
    found = asked(text)
    assert (tuple(found) if isinstance(found, list | tuple) else found) == does


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/do mute microphone", "several mappings are called `mute microphone`"),
        ("/do copi", "no mapping is called `copi` - did you mean `copy`?"),
        ("/do xyzzy", "no mapping is called `xyzzy`; there is `mute microphone`"),
        ("/do", "write the description of a mapping"),
    ],
)
def test_what_is_unclear_is_explained(text: str, words: str):
    answer = parse_command(text, CONFIG, ())
    assert isinstance(answer, SlashText)
    assert not answer.ok
    assert words in answer.text.casefold()


@pytest.mark.parametrize("mode", ["Live", "Stage"])
def test_every_name_that_can_be_said_is_understood_by_do(mode: str):
    for spoken in list_spoken_names(CONFIG, mode, None):
        call = parse_command(format_do_command(CONFIG, spoken), CONFIG, ())
        assert isinstance(call, SlashCall), call
        assert call.arguments["action"] == spoken.action.to_plain()


def test_the_names_are_those_in_use_in_the_order_of_precedence():
    talk = {
        "description": "Talk",
        "trigger": {"type": "Note", "note": 1},
        "action": {"type": "PushToTalk"},
    }
    off = {**named("Off", "x"), "enabled": False}
    both: Config = config(
        [named("Copy", "cmd+c"), named("Everywhere", "e"), talk, off],
        modes={"A": [named("copy", "a")], "B": [named("Other", "b")]},
        profiles=[{"name": "P", "match": {"executable": "x"}, "mappings": [named("COPY", "p")]}],
    )
    said = {
        one.name: one.action.to_plain().get("keys") for one in list_spoken_names(both, "A", "P")
    }
    assert said == {"COPY": ["p"], "Everywhere": ["e"], "mode A": None, "mode B": None}
    copy = find_spoken_name(list_spoken_names(both, "A", None), "Copy!")
    assert copy is not None
    assert copy.action.to_plain()["keys"] == ["a"]
