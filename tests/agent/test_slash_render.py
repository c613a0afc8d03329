"""What commands gave, in words, from a Conductor that runs."""

import re
from collections.abc import Generator

import pytest
from tests.support.running import RunningConductor, running_conductor

from conductor.agent.slash.commands import SlashCall, parse_command
from conductor.agent.slash.render import render_result
from conductor.domain.config import Config
from conductor.domain.keys import resolve_cmd_key

CMD = resolve_cmd_key("auto").capitalize()


@pytest.fixture(scope="module")
def running() -> Generator[RunningConductor]:
    alone = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    with running_conductor('[[modes]]\nname = "Default"\n', environment=alone) as running:
        running.wait_status(lambda status: status["devices"])
        yield running


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("/map 36 to cmd+c", f"Proposed: Note 36 (C1) -> {CMD}+C, in mode Default."),
        ("/plans", "- pending: Note 36"),
        ("/status", "device: Virtual controller."),
        ("/devices", "Virtual controller"),
        ("/switch Default", "Mode Default is active."),
        ("/learn", "/map that to"),
        ("/explain", "play something first"),
    ],
)
def test_a_command_is_answered_in_words(running: RunningConductor, typed: str, words: str) -> None:
    call = parse_command(typed, Config(), ())
    assert isinstance(call, SlashCall)

    shown = render_result(call.tool, running.call(call.tool, **call.arguments))
    # the control has its printed name once the profiles have been read
    assert words in re.sub(r"Pad 1\b( \(note 36\))?", "Note 36 (C1)", shown), shown
