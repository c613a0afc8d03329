"""Slash commands: the call that each makes, what is said of mistakes, and that nothing upsets the parser."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agent.saying import called, refused, said, seen
from tests.agent.wrong_commands import WRONG
from tests.support.simulate import Rows, config, mapping

from conductor.agent.slash.commands import (
    COMMANDS,
    SlashCall,
    SlashSkill,
    SlashText,
    SlashView,
    is_slash_command,
)
from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.events import InputEvent


@pytest.mark.parametrize(("typed", "hint"), WRONG.items())
def test_what_cannot_be_read_says_what_to_write(typed: str, hint: str) -> None:
    assert hint.casefold() in refused(typed).casefold()


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "/unmap 37": ("delete_mapping", {"mode": "Default", "index": 1}),
    "/unmap hold 40": ("delete_mapping", {"index": 0}),
    "/unmap pad 36 in Default": ("delete_mapping", {"mode": "Default", "index": 0}),
    "/unmap pad 36 in Web": ("delete_mapping", {"profile": "Web", "index": 0}),
    "/unmap #2 in default": ("delete_mapping", {"mode": "Default", "index": 1}),
    "/move 37 to #1": ("update_mapping", {"mode": "Default", "index": 1, "to_index": 0}),
    "/mode new Studio": ("create_mode", {"name": "Studio"}),
    "/mode new Big Studio red": ("create_mode", {"name": "Big Studio", "color": "red"}),
    "/mode delete live set": ("delete_mode", {"mode": "Live Set"}),
    "/mode rename Live Set to Stage": ("update_mode", {"mode": "Live Set", "new_name": "Stage"}),
    "/mode color live set green": ("update_mode", {"mode": "Live Set", "color": "green"}),
    "/switch to live set": ("switch_mode", {"mode": "Live Set"}),
    '/alias keys for "Launchkey MK3"': (
        "create_device_identity",
        {"alias": "keys", "matchers": [{"type": "NameContains", "pattern": "Launchkey MK3"}]},
    ),
    "/explain": ("explain_event", {}),
    "/why": ("explain_event", {}),
    "/explain 12": ("explain_event", {"sequence": 12}),
    "/learn": ("start_midi_learn", {}),
    "/learn 10 s": ("start_midi_learn", {"timeout_ms": 10_000}),
    "/undo": ("undo", {}),
    "/redo": ("redo", {}),
    "/status": ("get_status", {}),
    "/devices": ("list_device_bindings", {}),
    "/plans": ("list_plans", {}),
    "/shell on": ("update_settings", {"settings": {"engine": {"allow_shell": True}}}),
    "/shell off": ("update_settings", {"settings": {"engine": {"allow_shell": False}}}),
}  # fmt: skip


@pytest.mark.parametrize(("typed", "call"), CALLS.items())
def test_a_command_calls_its_tool(typed: str, call: tuple[str, dict[str, Any]]) -> None:
    answer = called(typed)

    assert (answer.tool.removeprefix("conductor_"), answer.arguments) == call


def test_lists_are_answered_in_words() -> None:
    everything, one = said("/mappings"), said("/mappings live set")
    nothing = said("/mappings", Config())

    assert isinstance(everything, SlashText)
    assert "#2 Note 37 (C#1) → Cmd+V" in everything.text
    assert isinstance(one, SlashText)
    assert one.text == "**In mode Live Set**\n\n- #1 CC 9 → Volume follows the control"
    assert isinstance(nothing, SlashText)
    assert "/map pad 1 to cmd+c" in nothing.text


def test_a_mapping_is_named_by_its_number_and_words_as_in_the_window() -> None:
    several = refused("/unmap pad 36")
    deleted, moved = called("/unmap 37"), called("/move 37 to #1")

    assert "- #1 in mode Default: Note 36 (C1) ch 10 → Cmd+C\n" in several
    assert deleted.words == "Delete Note 37 (C#1) → Cmd+V in mode Default"
    assert moved.words == "Move Note 37 (C#1) → Cmd+V in mode Default to place 1"


def test_a_view_is_opened_in_the_window() -> None:
    answer = said("/open monitor")

    assert isinstance(answer, SlashView)
    assert answer.view == "monitor"


def test_help_names_every_command_and_its_examples_can_be_read() -> None:
    whole = said("/help")
    assert isinstance(whole, SlashText)
    mute = {**mapping("LongPress note=36 -> c"), "description": "mute microphone"}
    on = config(
        modes={"Live": "Note note=37 -> a", "Stage": "Note note=36 -> b"},
        everywhere=[mute],
        settings={"engine": {"virtual_controller": "on"}},
        devices=[{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "M"}]}],
    )
    touched = [seen("note_on", 36, 90, "raw:Launchkey")]
    for command in COMMANDS:
        assert f"`{command.name}" in whole.text
        more = said(f"/help {command.name}")
        assert isinstance(more, SlashText)
        assert more.ok
        for example in command.examples:
            known = {"/alias", "/mode", "/move"}
            answer = said(example, on, touched)
            assert command.name in known or isinstance(
                answer, SlashCall | SlashView | SlashSkill
            ), answer


PRINTED = ControlNames({"pads": [NamedControl("note", 41, None, "Pad 6")]})


def test_the_commands_in_the_guide_can_be_read() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "chat.md").read_text()
    now = config(
        modes={
            "Default": "Note note=37 -> a\nNote note=36 -> c",
            "Live": "Note note=36 -> b",
            "Stage": "",
        },
        devices=[{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "M"}]}],
    )
    commands = re.findall(r"`(/[a-z]+ ?[^`]*)`", guide)

    assert len(commands) >= 20
    for command in commands:
        answer = said(command, now, [seen("note_on", 36, 90, "raw:Launchkey")], PRINTED)
        assert not isinstance(answer, SlashText) or answer.ok, f"{command}: {answer}"


def test_a_path_is_no_command() -> None:
    assert is_slash_command("/map 36 to a")
    assert is_slash_command("/help")
    assert not is_slash_command("/usr/bin/env is a path")
    assert not is_slash_command("what is /map?")
    assert not is_slash_command("")


WORDS = st.sampled_from(
    [
        "/map",
        "/unmap",
        "/move",
        "/mode",
        "/alias",
        "/learn",
        "map",
        "to",
        "in",
        "on",
        "as",
        "then",
        "hold",
        "release",
        "chord",
        "pad",
        "note",
        "cc",
        "that",
        "36",
        "C2",
        "36+40",
        "500ms",
        "0.5",
        "s",
        "ms",
        "cmd+c",
        "key",
        "type",
        '"hello"',
        '""',
        "“a”",
        "launch",
        "volume",
        "up",
        "down",
        "from",
        "the",
        "knob",
        "mode",
        "Live",
        "Default",
        "send",
        "value",
        "channel",
        "1",
        "10",
        "osc",
        "/foo",
        "127.0.0.1:9000",
        "click",
        "scroll",
        "wait",
        "repeat",
        "light",
        "red",
        "#1",
        "#-1",
        "new",
        "rename",
        "delete",
        "color",
        "gamepad",
        "a",
        "stick",
        "left",
        "x",
        "+",
        "++",
        "-",
        ",",
        "every",
        "times",
        "3",
        "²",
        "٣",
        "\u202e",
        "pitch",
        "bend",
        "encoder",
        "profile",
        "Web",
    ]
)


EVENTS = st.builds(
    seen,
    st.sampled_from(
        ["note_on", "note_off", "cc", "axis", "pitch_bend", "sysex", "osc", "nrpn", "app"]
    ),
    st.integers(0, 127),
    st.integers(0, 127),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=14), st.lists(EVENTS, max_size=4))
def test_no_words_of_its_own_upset_the_parser(
    words: list[str], recent_events: list[InputEvent]
) -> None:
    said(" ".join(words), recent_events=recent_events)
    said("/map " + " ".join(words), recent_events=recent_events)
    said("/map 36 to " + " ".join(words), recent_events=recent_events)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_no_text_upsets_the_parser(text: str) -> None:
    said(text)
    said(f"/map {text}")
    said(f"/map pad 36 to {text}")


def test_the_examples_of_the_help_can_be_typed_in_a_new_set_up_in_their_order() -> None:
    modes: dict[str, Rows] = {"Default": ""}
    for command in COMMANDS:
        for example in command.examples:
            now = config("Note note=36 -> cmd+c", modes=modes)
            answer = said(example, now, [seen("cc", 7, 1, "raw:Launchkey")])
            text = answer.text if isinstance(answer, SlashText) else ""
            assert "Invalid mode" not in text, (example, text)
            made = answer.arguments if isinstance(answer, SlashCall) else {}
            new = made.get("new_name", made.get("name"))
            modes = {**modes, **({new: ""} if new else {})}
