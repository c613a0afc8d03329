"""What a message asks for beyond the base: kinds, sections and tools, the same for the same words."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.llm.asking import user

from conductor.agent.core import add_needed_reference, build_base_reference, find_needed_parts
from conductor.agent.needs import (
    KIND_PATTERNS,
    TOOL_PATTERNS,
    find_mentioned_kinds,
    find_needed_tools,
    is_mapping_request,
)
from conductor.agent.texts import load_core_reference
from conductor.agent.tools_for_model import list_found_tools
from conductor.base.token_estimate import estimate_token_count
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.evaluation.case import load_cases
from conductor.tools.discovery import CORE_TOOLS, MAPPING_TOOLS

BASIC = {"Note", "Keystroke"}
ALL_KINDS = {*TRIGGER_KINDS, *ACTION_KINDS}
EVERYTHING = (
    "hard hold double together release cc encoder aftertouch bend preset nrpn sysex xbox south sticks trigger osc "
    "type open shell volume modes send forward click mouse scroll then wait repeat if variable led plugin toml "
    "between curve while push to talk only"
)
LEAST = 0.95
"""Of the calls and kinds of the good transcripts that a model is told of before it has to look for them."""


def test_every_kind_and_every_tool_of_the_main_job_has_a_cue():
    assert {*KIND_PATTERNS} == ALL_KINDS - BASIC
    assert {*TOOL_PATTERNS} == {*MAPPING_TOOLS} - {*CORE_TOOLS}


def test_the_base_is_short_and_a_message_with_every_need_brings_the_whole_reference():
    assert estimate_token_count(build_base_reference()) <= 500
    parts = find_needed_parts(EVERYTHING)
    assert {*parts} >= ALL_KINDS - BASIC
    told = build_base_reference() + _told(EVERYTHING)
    lines = [line for line in load_core_reference().splitlines() if line.startswith("- `")]
    assert [line for line in lines if line not in told][:3] == [
        line for line in lines if line.startswith(("- `Note`", "- `Keystroke`"))
    ], "the base shows these two by its first pattern"


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("Volume on knob 7", {"CC", "EncoderTurn", "VolumeControl"}),
        ("hold pad 36 to paste", {"LongPress"}),
        ("pads 36 and 38 together toggle the mode Live", {"NoteChord", "ModeChange"}),
        ("hello, how are you?", set()),
        ("thanks!", set()),
    ],
)
def test_a_message_brings_the_kinds_that_it_names(said: str, kinds: set[str]):
    assert find_mentioned_kinds(said) >= kinds
    if not kinds:
        assert (find_needed_parts(said), find_needed_tools(said)) == ((), ())


def test_nothing_is_told_twice_and_what_was_told_stays():
    first, second = _user("hold pad 36"), _user("hold pad 37, and hit 38 hard")
    [alone] = add_needed_reference([first])
    one, two = add_needed_reference([first, second])
    assert one == alone
    assert "`LongPress`" in _text(one)
    assert "`VelocityRange`" in _text(two)
    assert "`LongPress`" not in _text(two)
    assert (
        list_found_tools([first])
        == list_found_tools([first, second])[: len(list_found_tools([first]))]
    )


def test_tools_of_the_main_job_come_at_two_moments_of_a_conversation_at_most():
    said = [
        "hello",
        "why did pad 36 do nothing?",
        "why?",
        "change it",
        "simulate it",
        "learn this knob",
    ]
    sent = [list_found_tools([_user(one) for one in said[:at]]) for at in range(1, len(said) + 1)]
    assert sent[0] == ()
    assert sent[1] == sent[2] == find_needed_tools(said[1])
    assert sent[3] == sent[4] == sent[5]
    assert {*sent[3]} == {*TOOL_PATTERNS}
    assert sent[3][: len(sent[1])] == sent[1]


def test_what_the_good_transcripts_use_is_nearly_always_told_before():
    calls, kinds = [], []
    for case in load_cases():
        tools_told, kinds_told = {*CORE_TOOLS}, {*BASIC}
        for turn, steps in zip(case.turns, case.solution, strict=True):
            tools_told |= {*find_needed_tools(turn.say)}
            kinds_told |= find_mentioned_kinds(turn.say)
            for tool, arguments in (call for step in steps if isinstance(step, dict) for call in step.items()):  # fmt: skip
                name = f"conductor_{tool.split('#')[0]}"
                calls += [name in tools_told] if name in MAPPING_TOOLS else []
                kinds += [kind in kinds_told for kind in {*_types(arguments)} & ALL_KINDS]
    assert sum(calls) >= LEAST * len(calls)
    assert sum(kinds) >= LEAST * len(kinds)


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("Map pad 36 to copy", True),
        ("Pad 36 should open Firefox", True),
        ("Which note does pad 36 send", False),
        ("can I map note 36 to two things?", False),
        ("the knob jumps when I touch it", False),
        ("set up my controller's NRPN for filter cutoff", False),
        ("hello", False),
    ],
)
def test_a_wish_names_a_control_with_its_number(said: str, wish: bool):
    assert is_mapping_request(said) == wish


def _types(value: Any) -> Iterator[str]:
    """Return every `type` inside arguments."""
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value["type"]
        for item in value.values():
            yield from _types(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _types(item)


def _user(text: str) -> Any:
    return user(text)


def _told(text: str) -> str:
    [message] = add_needed_reference([_user(text)])
    return _text(message)


def _text(message: Any) -> str:
    return "\n".join(part.text for part in message.parts)
