"""Forty jobs that people give an agent, done by scripted MCP calls over a real server.

A script calls what an agent would call that has read the tools' descriptions and the results so far, and nothing
else: it asks `conductor_describe_types` where the descriptions do not say how something is written, and one
script makes a mistake and mends it by the error. `python -m tests.mcp.agent_jobs` prints the figures. Tokens are
characters of the results' texts / 4.
"""

# pyright: reportUnknownLambdaType=false
# Pyright gives up on inferring the lambdas inside so long a tuple.
import json
import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, NamedTuple

from tests.mcp.clients import with_client
from tests.support.running import RunningConductor, free_udp_port, running_conductor, send_osc

from mcp import Client

Plain = dict[str, Any]
Results = list[Plain]
PORT = free_udp_port()
WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = f"""
[[devices]]
alias = "pads"
matchers = [{{ type = "NameContains", pattern = "Mikro" }}]
[[modes]]
name = "Default"
[[modes.mappings]]
description = "copy"
trigger = {{ type = "Note", note = 36 }}
action = {{ type = "Keystroke", keys = ["cmd", "c"] }}
[[modes.mappings]]
description = "play"
trigger = {{ type = "Note", note = 40 }}
action = {{ type = "Keystroke", keys = ["space"] }}
[[modes.mappings]]
description = "volume"
trigger = {{ type = "CC", cc = 7 }}
action = {{ type = "VolumeControl", operation = "Set" }}
[[modes]]
name = "Drums"
[[modes.mappings]]
trigger = {{ type = "Note", note = 36 }}
action = {{ type = "Keystroke", keys = ["d"] }}
[[global_mappings]]
trigger = {{ type = "Note", note = 99 }}
action = {{ type = "ModeChange", mode = "Drums", behaviour = "toggle" }}
[[profiles]]
name = "Web"
match = {{ executable = "firefox" }}
[settings.engine]
osc_port = {PORT}
"""
YESTERDAY = CONFIG.replace('keys = ["space"]', 'keys = ["enter"]')
"""The history before the config of the jobs."""


class Call(NamedTuple):
    tool: str
    arguments: Plain | Callable[[Results], Plain] | None = None


class Job(NamedTuple):
    wish: str
    calls: Sequence[Call]
    is_done: Callable[[Results], bool]


class Figures(NamedTuple):
    """What the jobs came to."""

    done: int
    calls: int
    errors: int
    tokens: float
    """Of all results of a job, at the median."""
    undone: tuple[str, ...]

    def words(self) -> str:
        share = 100 * self.errors / self.calls
        return (
            f"{self.done} jobs done, {self.errors} of {self.calls} calls ended in an error ({share:.1f} %),"
            f" {self.tokens:.0f} tokens of results per job at the median"
        )


def note(number: int) -> Plain:
    return {"type": "Note", "note": number}


def keys(*names: str, **more: Any) -> Plain:
    return {"type": "Keystroke", "keys": list(names), **more}


def example(gesture: str, *expected: Plain | str, **where: Any) -> Plain:
    """Build an example: each expected action is its type, or its type with fields."""
    expect = [{"type": item} if isinstance(item, str) else item for item in expected]
    return {"name": gesture, "gesture": gesture, "expect": expect, **where}


def fields(kind: str, **fields: Any) -> Plain:
    return {"type": kind, "fields": fields}


def add(trigger: Plain, action: Plain, *examples: Plain, **more: Any) -> Call:
    given = {"mode": "Default", "trigger": trigger, "action": action, **more}
    if "profile" in more:
        del given["mode"]
    return Call("create_mapping", {**given, "examples": list(examples)})


def batch(*operations: tuple[str, Plain], examples: Sequence[Plain] = ()) -> Call:
    made = [{"tool": f"conductor_{tool}", "arguments": given} for tool, given in operations]
    return Call("batch", {"operations": made, "examples": list(examples)})


def describe(*topics: str) -> Call:
    return Call("describe_types", {"topics": list(topics)})


def row_of(results: Results, description: str) -> int:
    """Return the number of a mapping that `get_mappings` listed."""
    rows = results[0]["mappings"]
    return next(at for at, row in enumerate(rows) if row["description"] == description)


def planned(results: Results) -> bool:
    """Check that the last call made a plan whose examples all hold."""
    plan = results[-1]
    return plan.get("status") == "pending" and all(item["passed"] for item in plan["examples"])


def shown(*words: str) -> Callable[[Results], bool]:
    """Check for a plan whose diff has these words."""
    return lambda results: (
        planned(results) and all(word in results[-1]["diff_preview"] for word in words)
    )


def warned(word: str) -> Callable[[Results], bool]:
    return lambda results: (
        planned(results) and any(word in item for item in results[-1]["warnings"])
    )


MAPPINGS = Call("get_mappings", {"mode": "Default"})
SPOTIFY = {"type": "AppFrontmost", "app": "spotify"}
NIGHT = {"type": "TimeRange", "start": "22:00", "end": "06:00"}
TO_SYNTH = {"type": "SendMidi", "port": "Synth", "message_type": "CC"}
URL = "https://example.com/docs"
JOBS: tuple[Job, ...] = (
    Job("Pad 37 pastes", [add(note(37), keys("cmd", "v"), example("tap 37", "Keystroke"))], planned),
    Job("Tap 41 copies, hold half a second pastes", [describe("LongPress"), batch(
        ("create_mapping", {"mode": "Default", "trigger": note(41), "action": keys("cmd", "c")}),
        ("create_mapping", {"mode": "Default", "trigger": {"type": "LongPress", "note": 41, "duration_ms": 500},
            "action": keys("cmd", "v")}),
        examples=[example("tap 41; wait 600", fields("Keystroke", keys=["cmd", "c"])),
            example("down 41; wait 600; up 41", fields("Keystroke", keys=["cmd", "v"]))])], planned),
    Job("Fader 20 is the volume, only in Spotify", [describe("when"),
        add({"type": "CC", "cc": 20, "when": [SPOTIFY]}, {"type": "VolumeControl", "operation": "Set"},
            example("cc 20 127", "VolumeControl", app="spotify"), example("cc 20 64"))], planned),
    Job("44 and 45 together open Firefox", [add({"type": "NoteChord", "notes": [44, 45]},
        {"type": "Launch", "app": "firefox"}, example("down 44; down 45", "Launch"))], planned),
    Job("Knob 21 sends CC 74 on channel 2, inverted", [describe("from"),
        add({"type": "CC", "cc": 21}, {**TO_SYNTH, "channel": 2, "controller": 74,
            "value": {"from": "value", "invert": True}}, example("cc 21 127", fields("SendMidi", value=0)))],
        warned("no MIDI output is called `Synth` now")),
    Job("Take back what was done yesterday", [Call("list_versions"), Call("restore_version",
        lambda found: {"version": found[0]["versions"][1]["version"]})], shown('- action', "enter")),
    Job("Why did what I just played do nothing?", [Call("explain_event")],
        lambda found: found[0]["winner"] is None and bool(found[0]["answer"])),
    Job("Make a mode Live that pad 98 leads to and back", [batch(("create_mode", {"name": "Live"}),
        ("create_mapping", {"trigger": note(98), "action": {"type": "ModeChange", "mode": "Live",
            "behaviour": "toggle"}}), examples=[example("tap 98", "ModeChange")])], planned),
    Job("Encoder 16 goes to the next track", [describe("keys"),
        add({"type": "EncoderTurn", "cc": 16, "direction": "clockwise", "encoding": "twos_complement"},
            keys("next"), example("turn 16 +1", "Keystroke"))], planned),
    Job("Pad 46 types my signature", [add(note(46), {"type": "Text", "text": "Best, Kim"},
        example("tap 46", "Text"))], planned),
    Job("Pad 47 saves, waits a second, opens Firefox", [describe("Sequence", "examples"), add(note(47), {"type": "Sequence", "actions": [
        keys("cmd", "s"), {"type": "Delay", "duration_ms": 1000}, {"type": "Launch", "app": "firefox"}]},
        example("tap 47", "Sequence"))], planned),
    Job("Pad 48 runs git pull", [add(note(48), {"type": "Shell", "argv": ["git", "pull"]})],
        warned("allow_shell")),
    Job("While pad 49 is held, Drums", [describe("ModeChange"), add(note(49),
        {"type": "ModeChange", "mode": "Drums", "behaviour": "momentary"}, example("down 49", "ModeChange"))],
        planned),
    Job("Only hard hits of 51 press F5", [add({"type": "VelocityRange", "note": 51, "min_velocity": 100},
        keys("f5"), example("tap 51 vel 120", "Keystroke"), example("tap 51 vel 40"))], planned),
    Job("Pad 52 lights itself green", [describe("Led"), add(note(52), {"type": "Led", "device": "pads",
        "control": "note 52", "color": "green"}, example("tap 52", "Led"))],
        warned("no MIDI output of the device `pads` is connected now")),
    Job("Pad 53 mutes, from 22 to 6 only", [describe("TimeRange", "examples"),
        add({**note(53), "when": [NIGHT]}, {"type": "VolumeControl", "operation": "Mute"},
            example("tap 53", "VolumeControl", clock={"weekday": 1, "minute": 1410}), example("tap 53", clock={"weekday": 1, "minute": 720}))], planned),
    Job("The pitch wheel scrolls", [describe("from"), add({"type": "PitchBend"}, {"type": "MouseScroll",
        "dy": {"from": "value", "min": -5, "max": 5}}, example("bend 16383", fields("MouseScroll", dy=5)))],
        planned),
    Job("Call my nanoKONTROL faders", [Call("create_device_identity", {"alias": "faders",
        "matchers": [{"type": "NameContains", "pattern": "nanoKONTROL"}]})], shown('alias = "faders"')),
    Job("The copy pad cuts instead", [MAPPINGS, Call("update_mapping", lambda found: {"mode": "Default",
        "index": row_of(found, "copy"), "action": keys("cmd", "x"), "description": "cut"})], shown("cut", '"x"')),
    Job("Switch the play pad off", [MAPPINGS, Call("update_mapping", lambda found: {"mode": "Default",
        "index": row_of(found, "play"), "enabled": False})], shown("enabled = false")),
    Job("Start in Drums", [Call("update_settings", {"settings": {"engine": {"start_mode": "Drums"}}})],
        shown('start_mode = "Drums"')),
    Job("Pad 54 is push to talk on F13", [describe("Keystroke"), add(note(54), keys("f13", hold="while_held"),
        example("down 54; wait 500; up 54", "Keystroke"))], planned),
    Job("Double tap 55 opens the docs", [add({"type": "DoubleTap", "note": 55}, {"type": "Launch", "app": URL},
        example("tap 55; wait 100; tap 55", "Launch"))], planned),
    Job("Holding 56 repeats the down arrow", [describe("Repeat", "examples"), add(note(56), {"type": "Repeat",
        "action": keys("down"), "until_release": True, "delay_ms": 100}, example("down 56", "Repeat"))],
        planned),
    Job("The volume fader goes to 50 % at most", [MAPPINGS, describe("from"), Call("update_mapping",
        lambda found: {"mode": "Default", "index": row_of(found, "volume"), "action": {"type": "VolumeControl",
            "operation": "Set", "value": {"from": "value", "max": 50}},
            "examples": [example("cc 7 127", fields("VolumeControl", value=50))]})], planned),
    Job("Remove the volume fader", [MAPPINGS, Call("delete_mapping", lambda found: {"mode": "Default",
        "index": row_of(found, "volume")})], shown("- action")),
    Job("Drums is to be called Beats", [Call("update_mode", {"mode": "Drums", "new_name": "Beats"})],
        shown('name = "Beats"', 'mode = "Beats"')),
    Job("Which of my devices are not there?", [Call("list_devices")],
        lambda found: found[0]["absent"] == ["pads"]),
    Job("Which modes are there?", [Call("list_modes")],
        lambda found: [item["name"] for item in found[0]["modes"]] == ["Default", "Drums"]),
    Job("Is my config right?", [Call("validate_config")], lambda found: found[0]["valid"] is True),
    Job("In GIMP, pad 36 undoes", [batch(
        ("create_profile", {"name": "Paint", "match": {"executable": "gimp"}}),
        ("create_mapping", {"profile": "Paint", "trigger": note(36), "action": keys("cmd", "z")}),
        examples=[example("tap 36", fields("Keystroke", keys=["cmd", "z"]), app="gimp"),
            example("tap 36; wait 1", fields("Keystroke", keys=["cmd", "c"]))])], planned),
    Job("Switch to Drums now, and back", [Call("switch_mode", {"mode": "Drums"}),
        Call("switch_mode", {"mode": "Default"})], lambda found: found[0]["mode_name"] == "Drums"),
    Job("Put the play pad first", [MAPPINGS, Call("update_mapping", lambda found: {"mode": "Default",
        "index": row_of(found, "play"), "to_index": 0})], shown("play")),
    Job("Knob 22 sends OSC from 0 to 1", [describe("OscSend"), add({"type": "CC", "cc": 22}, {"type": "OscSend",
        "port": 9000, "address": "/fader", "args": [{"from": "value"}]},
        example("cc 22 127", fields("OscSend", args=[1.0])))], planned),
    Job("57 arms, and 58 records only when armed", [describe("SetVariable", "VariableIs"), batch(
        ("create_mapping", {"mode": "Default", "trigger": note(57), "action": {"type": "SetVariable",
            "name": "armed", "operation": "toggle"}}),
        ("create_mapping", {"mode": "Default", "trigger": {**note(58), "when": [{"type": "VariableIs",
            "name": "armed", "value": True}]}, "action": keys("r")}),
        examples=[example("tap 57; tap 58", "SetVariable", "Keystroke"), example("tap 58")])], planned),
    Job("What does pad 36 do?", [Call("simulate", {"gesture": "tap 36"})],
        lambda found: "Keystroke" in json.dumps(found[0]["actions"])),
    Job("The gamepad's lower button right-clicks", [describe("buttons"), add({"type": "GamepadButton",
        "button": "south"}, {"type": "MouseClick", "button": "right"}, example("button south", "MouseClick"))],
        planned),
    Job("Pad 59 opens Firefox on weekends only", [describe("DayOfWeek", "examples"), add({**note(59),
        "when": [{"type": "DayOfWeek", "days": [6, 7]}]}, {"type": "Launch", "app": "firefox"},
        example("tap 59", "Launch", clock={"weekday": 6, "minute": 600}),
        example("tap 59; wait 1", clock={"weekday": 1, "minute": 600}))], planned),
    Job("Pass notes on an octave higher, on channel 3", [describe("MidiForward"), add({"type": "Note", "note": 60},
        {"type": "MidiForward", "port": "Synth", "channel": 3, "transpose": 12})],
        warned("no MIDI output is called")),
    Job("Pad 61 skips to the next track, by a guess at the key's name", [
        add(note(61), keys("media_next")), add(note(61), keys("next"), example("tap 61", "Keystroke"))], planned),
)  # fmt: skip


def measure(conductor: RunningConductor) -> Figures:
    """Do every job on a running Conductor, and count."""
    done: list[str] = []
    undone: list[str] = []
    tokens: list[float] = []
    calls: list[bool] = []

    async def work(client: Client) -> None:
        for job in JOBS:
            results: Results = []
            output = ""
            for call in job.calls:
                given = call.arguments
                try:
                    arguments = given(results) if callable(given) else given or {}
                except (KeyError, IndexError, StopIteration):
                    break  # a result did not say what the next call needs
                answer = await client.call_tool(f"conductor_{call.tool}", arguments)
                text = "".join(getattr(part, "text", "") for part in answer.content)
                calls.append(answer.is_error is not True)
                output += text
                results.append({"error": text} if answer.is_error else json.loads(text))
            tokens.append(len(output) / 4)
            if (
                len(results) == len(job.calls)
                and "error" not in results[-1]
                and job.is_done(results)
            ):
                done.append(job.wish)
            else:
                undone.append(f"{job.wish}: {output[-600:]}")

    with_client(conductor, work, era="2026-07-28")
    return Figures(len(done), len(calls), calls.count(False), median(tokens), tuple(undone))


def prepare(conductor: RunningConductor) -> None:
    """Make a yesterday, and play something that no mapping is for."""
    conductor.use(CONFIG)
    conductor.wait_for_device("osc", "osc")
    send_osc(PORT, "/nothing", 1.0)
    conductor.wait_status(lambda status: status["statistics"]["events_processed"] >= 1)


def main() -> None:
    with running_conductor(YESTERDAY, environment=WITHOUT_PARTS) as conductor:
        prepare(conductor)
        figures = measure(conductor)
    lines = [figures.words(), *(f"not done: {item}" for item in figures.undone)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
