"""Collects sentences as the backend composes them. The page must show all of them in German.

`python -m tests.support.page_sentences` writes them to the file that the tests of the page read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import get_args

from tests.agent.saying import STAGE
from tests.agent.wrong_commands import WRONG
from tests.architecture.sources import ROOT
from tests.engine.explained import Stage
from tests.engine.explained_options import WITH_OPTIONS
from tests.engine.explained_rows import BY_HAND
from tests.support.simulate import Row, Rows, config

from conductor.agent.slash.answer import SlashCall, SlashText, SlashView
from conductor.agent.slash.commands import format_sentence, parse_command
from conductor.domain.change_kinds import (
    Change,
    CreateMode,
    CreateProfile,
    DeleteDevice,
    DeleteMapping,
    DeleteMode,
    DeleteProfile,
)
from conductor.domain.changes import apply_change
from conductor.domain.chat.messages import FailureKind
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.patterns import suggest_triggers
from conductor.domain.settings import LearnSettings
from conductor.engine.conflicts.analysis import ConflictFinder
from conductor.errors import ConductorError
from conductor.llm.failures import FailureContext
from conductor.tools.explained_events import find_gesture_start, format_explained_event

SENTENCES_FILE = ROOT / "frontend" / "tests" / "backend-sentences.json"
NAMES = ControlNames(
    {
        "pads": [
            NamedControl("note", 36, None, "Kick"),
            NamedControl("note", 38, None, "Pad 3"),
            NamedControl("cc", 20, None, "Knob 1"),
        ]
    }
)
PROFILE = {
    "name": "web",
    "match": {"executable": "firefox"},
    "mappings": [
        {"trigger": {"type": "Note", "note": 36}, "action": {"type": "Text", "text": "a"}}
    ],
}
HOLD = "Keystroke keys=a hold=while_held"
NOTE_ON = "SendMidi port=Synth message_type=NoteOn note=60"
CONFLICTING_ROWS: tuple[Sequence[Row], ...] = (
    ["NoteChord notes=[36,38] -> a", "LongPress note=36 duration_ms=500 -> b"],
    ["NoteChord notes=[36,38] -> a", f"Note note=36 -> {NOTE_ON}"],
    ["LongPress note=36 duration_ms=200 -> a", "DoubleTap note=36 timeout_ms=500 -> b"],
    ["LongPress note=36 duration_ms=500 -> a", "DoubleTap note=36 timeout_ms=300 -> b"],
    ["Note note=36 -> a", "LongPress note=36 -> b", "DoubleTap note=36 -> c"],
    ["DoubleTap note=36 -> a", "NoteChord notes=[36,38] -> b"],
    ["NoteChord notes=[36,38] -> a", "NoteChord notes=[38,40] -> b"],
    ["NoteChord notes=[36,38] -> a", "NoteChord notes=[36,38,40] timeout_ms=90 -> b"],
    ["NoteChord notes=[36,38] fire_when_complete=true -> a", "NoteChord notes=[36,38,40] -> b"],
    ["CC cc=20 value_min=64 -> a", "EncoderTurn cc=20 encoding=twos_complement -> b"],
    ["PitchBend value_min=9000 value_max=10000 -> a", "PitchBend value_min=8500 -> b"],
    ["Aftertouch note=60 pressure_min=40 -> a", "Aftertouch pressure_min=20 -> b"],
    ["CC cc=6 -> a", "Nrpn parameter=300 -> b"],
    ["Note note=36 velocity_min=100 -> a", "Note note=36 -> b"],
    ["Note note=36 -> a", "Note note=36 -> a"],
    ["Note note=36 -> a", "Note note=36 -> b"],
    ["Note note=36 -> a", "VelocityRange note=36 min_velocity=1 max_velocity=50 -> b"],
    ["Note note=36 -> a", "Note note=36 device=pads -> b"],
    ["Note note=36 device=pads -> a", "Note note=36 -> b"],
    ["Note note=36 device=pads -> a", "Note note=36 device=pads channel=2 -> b"],
    ["Note note=36 channel=2 -> a", "Note note=36 device=pads channel=2 -> b"],
    ["NoteRelease note=36 -> a", "NoteRelease note=36 -> b"],
    ["DoubleTap note=36 -> a", "DoubleTap note=36 -> b"],
    ["NoteChord notes=[36,38] -> a", "NoteChord notes=[36,38] -> b"],
    [
        "VelocityRange note=36 min_velocity=1 max_velocity=70 -> a",
        "VelocityRange note=36 min_velocity=50 max_velocity=127 -> b",
    ],
    [
        "VelocityRange note=36 min_velocity=1 max_velocity=70 -> a",
        "VelocityRange note=36 min_velocity=71 max_velocity=127 -> b",
        "Note note=36 -> cmd+c",
    ],
    ["Note note=36 -> a", "DoubleTap note=36 timeout_ms=300 -> b"],
    ["Note note=36 -> a", "DoubleTap note=36 require_prior_idle_ms=200 -> b"],
    ["Note note=36 -> a", "NoteChord notes=[36,38] -> b"],
    ["Note note=36 -> a", "Note note=38 -> c", "NoteChord notes=[36,38] -> b"],
    ["Note note=36 -> a", "LongPress note=36 -> b"],
    [f"Note note=36 -> {HOLD}", "LongPress note=36 quick_tap_ms=100 -> b"],
    ["Note note=36 -> ModeChange mode=Live behaviour=momentary", "LongPress note=36 -> b"],
    ["LongPress note=36 duration_ms=300 -> a", "LongPress note=36 duration_ms=900 -> b"],
    [
        f"LongPress note=36 duration_ms=300 hold_on_other_press=true -> {HOLD}",
        "LongPress note=36 duration_ms=900 -> b",
    ],
    ["LongPress note=36 duration_ms=300 -> a", "LongPress note=36 duration_ms=300 -> b"],
    ["DoubleTap note=36 keep_order=true -> a", f"Note note=38 -> {NOTE_ON}"],
    ["Note note=36 -> Shell command=ls", "Note note=37 -> b"],
    [f"CC cc=20 -> {NOTE_ON}"],
    [f"DoubleTap note=36 -> {HOLD}"],
    [f"CC cc=20 -> {HOLD}"],
    ["GamepadButton button=south -> a", "LongPress button=south -> b"],
    ['GamepadButtonChord buttons=["south","east"] -> a', "LongPress button=south -> b"],
)
"""Mappings that conflict in every way that a message describes."""
SLASH_COMMANDS = (
    "/help",
    "/map pad 36 to cmd+c",
    "/map double tap Snare to cmd+z",
    "/map hold pad 36 500ms to launch firefox in Default",
    "/map pad 36 to frobnicate",
    "/map that to volume from the knob",
    "/map pad 36",
    "/map pad 36 oben",
    "/map hold pad 36 lange to cmd+c",
    "/unmap pad 40",
    "/unmap pad 36",
    "/unmap #1",
    "/unmap #0",
    "/unmap #9",
    "/unmap #9 in Default",
    "/move pad 36 to everywhere",
    "/move #1 to #2",
    "/move pad 36 to Nowhere",
    "/mode new Live red",
    "/mode delete Default",
    "/mode delete Nowhere",
    "/mode rename Default to Stage",
    "/mode color Default red",
    "/mode",
    "/switch Default",
    "/switch Nowhere",
    "/alias pads for that",
    '/alias pads for "Maschine Mikro"',
    "/alias pads",
    "/mappings Nowhere",
    "/mappings Empty",
    "/explain",
    "/explain 12",
    "/learn",
    "/learn 1 ms",
    "/undo",
    "/redo",
    "/plans",
    "/status",
    "/devices",
    "/shell on",
    "/shell off",
    "/shell",
    "/open monitor",
    "/open nowhere",
    "/do mute microphone",
    "/do nothing known",
    "/frobnicate",
    "/mop",
    "/switch Default now please",
)


def list_conflicts() -> Iterator[str]:
    """Yield the messages about conflicts of mappings, with and without the names of controls."""
    for rows in CONFLICTING_ROWS:
        yield from _list_messages(rows)
    modes: dict[str, Rows] = {
        "Default": ["CC cc=20 value_max=80 -> a"],
        "Live": ["CC cc=20 value_min=40 -> b", "Note note=36 -> b"],
        "Lost": [],
    }
    everywhere: Rows = ["CC cc=20 value_min=10 value_max=60 -> c", "Note note=36 -> a"]
    for one in ConflictFinder().find_conflicts(
        config(everywhere, modes=modes, profiles=[PROFILE]), names=NAMES
    ):
        yield one.message


def _list_messages(rows: Sequence[Row]) -> Iterator[str]:
    for one in ConflictFinder().find_conflicts(config(rows), names=NAMES):
        yield one.message


def list_learn_reasons() -> Iterator[str]:
    """Yield the reasons that MIDI Learn gives for its suggestions."""
    for played in (
        _press(0.0, 0.05),
        _press(0.0, 0.05) + _press(0.09, 0.14),
        _press(0.0, 0.9),
        _press(0.0, 0.05, value=10) + _press(1.0, 1.05, value=120) + _press(2.0, 2.05),
        _press(0.0, 0.3) + _press(0.01, 0.3, number=38),
        [_event("cc", 20, value, at) for at, value in enumerate((0, 127))],
        [_event("cc", 20, value, at) for at, value in enumerate((1, 1, 127, 1))],
        [_event("cc", 20, value, at) for at, value in enumerate((10, 30, 64, 99))],
        [_event("pitch_bend", 0, value, at) for at, value in enumerate((8192, 9000))],
    ):
        for suggestion in suggest_triggers(played, LearnSettings()):
            yield suggestion.why


def _press(start: float, end: float, number: int = 36, value: int = 90) -> list[InputEvent]:
    return [_event("note_on", number, value, start), _event("note_off", number, 0, end)]


def _event(kind: EventKind, number: int, value: float, time: float) -> InputEvent:
    return InputEvent(kind=kind, device="pads", channel=1, number=number, value=value, time=time)


def list_slash_answers() -> Iterator[str]:
    """Yield what the chat answers to slash commands."""
    known = config("Note note=36 -> a", modes={"Default": [], "Empty": []})
    switch = "ModeChange mode=Default"
    listed = config(
        f"LongPress note=38 -> {switch}",
        modes={"Default": [f"Note note=36 -> {switch}"]},
        profiles=[PROFILE],
    )
    answers = [parse_command(command, known, [], NAMES) for command in SLASH_COMMANDS]
    wrong = [parse_command(command, STAGE, []) for command in WRONG]
    for answer in (*answers, parse_command("/mappings", listed, [], NAMES), *wrong):
        match answer:
            case SlashCall(words=words):
                yield f"Not done: {words}."
            case SlashText(text=text) | SlashView(text=text):
                lines = (line for line in text.split("\n") if line and not line.startswith("`/"))
                yield from (line.removeprefix("- ") for line in lines)
            case _:
                pass


def list_explanations() -> Iterator[str]:
    """Yield how the chat explains gestures, one sentence for all that differ only in their numbers."""
    found: dict[str, str] = {}
    for row in (*BY_HAND, *WITH_OPTIONS):
        stage = Stage(row.config).play(*row.parts, settle_s=row.settle_s)
        lines = _explain(stage, stage.last(*row.ask) if row.ask else None).split("\n")
        found |= {re.sub(r"\d+", "0", line): line.removeprefix("- ") for line in lines}
    yield from found.values()


def _explain(stage: Stage, sequence: int | None) -> str:
    trace, explanation = stage.explain_trace(sequence)
    start = find_gesture_start(trace, explanation)
    first = None if start is None else stage.explain_trace(start)[0]["event"]
    trace["event"] = NAMES.add_name_to_event(trace["event"])
    first = None if first is None else NAMES.add_name_to_event(first)
    return format_explained_event(trace, explanation, first, stage.state.table.config, NAMES)


def list_refused_changes() -> Iterator[str]:
    """Yield why a change of the config is refused, as the chat says it."""
    known = config("Note note=36 -> a", modes={"Live": []}, profiles=[PROFILE])
    changes: tuple[Change, ...] = (
        CreateMode(name="Live"),
        CreateProfile(profile=known.profiles[0]),
        DeleteDevice(alias="pads"),
        DeleteMode(name="Live"),
        DeleteMode(name="Life"),
        DeleteMode(name="Nowhere"),
        DeleteProfile(name="wep"),
        DeleteProfile(name="Office"),
        DeleteMapping(index=3),
        DeleteMapping(mode="Live", index=0),
    )
    for change in changes:
        try:
            apply_change(known, change)
        except ConductorError as error:
            yield format_sentence(str(error))
        else:
            raise AssertionError(f"{change} was not refused")


def list_provider_failures() -> Iterator[str]:
    """Yield why a provider on the internet and one on this computer did not answer."""
    for url in ("https://api.example.com/v1", "http://127.0.0.1:11434/v1"):
        context = FailureContext("Models & Co", "large-1", url, "a key", "custom")
        for kind in get_args(FailureKind):
            yield context.build_failure(kind).message
    yield context.build_failure("refusal", "no").message


def render_sentences() -> str:
    """Return all sentences as the text of the file."""
    groups = {
        "conflicts": list_conflicts(),
        "reasons of MIDI Learn": list_learn_reasons(),
        "answers to slash commands": list_slash_answers(),
        "explanations": list_explanations(),
        "refused changes": list_refused_changes(),
        "failures of providers": list_provider_failures(),
    }
    unique = {group: list(dict.fromkeys(sentences)) for group, sentences in groups.items()}
    return json.dumps(unique, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    SENTENCES_FILE.write_text(render_sentences())
