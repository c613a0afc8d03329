"""The execution rules of each skill, followed literally: every tool that they name is called, in their order."""

import re
from collections.abc import Generator
from typing import Any

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import REPOSITORY, RunningConductor, running_conductor
from tests.tools.terminal import at_terminal

from conductor.errors import ConductorError

pytestmark = pytest.mark.jack
CONFIG = """
[[modes]]
name = "Default"
[[modes.mappings]]
description = "copy"
trigger = { type = "Note", note = 40 }
action = { type = "Keystroke", keys = ["cmd", "c"] }
"""
PRESS = {"type": "Note", "note": 36}
PASTE = {"type": "Keystroke", "keys": ["cmd", "v"]}
PASTES = {
    "name": "pastes",
    "gesture": "tap 36",
    "expect": [{"type": "Keystroke", "fields": {"keys": ["cmd", "v"]}}],
}
SILENT = {"name": "another pad does nothing", "gesture": "tap 50", "expect": []}


class Follower:
    """Calls tools as an agent does that has read a skill."""

    def __init__(self, conductor: RunningConductor, skill: str) -> None:
        self._conductor = conductor
        text = (REPOSITORY / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
        rules = text.split("## Execution rules")[1].split("\n**Do not**")[0]
        self.named = list(dict.fromkeys(re.findall(r"`conductor_(\w+)`", rules)))
        self.called: list[str] = []

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.called.append(tool)
        return self._conductor.call(f"conductor_{tool}", **arguments)

    def propose(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Propose a plan, which must have no failed example, and apply it as the user would."""
        plan = self.call(tool, **arguments)
        assert [each["name"] for each in plan.get("examples", ()) if not each["passed"]] == []
        self.approve(plan)
        return plan

    def approve(self, plan: dict[str, Any]) -> None:
        done = at_terminal(self._conductor, "plans", "approve", plan["plan_id"], "--yes")
        assert done.returncode == 0, done.stdout

    def assert_all_called(self) -> None:
        assert [tool for tool in self.named if tool not in self.called] == []
        firsts = [tool for tool in dict.fromkeys(self.called) if tool in self.named]
        assert firsts == self.named, "the order of the rules"


@pytest.fixture
def conductor(pads: MidiPeer) -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment={"DISPLAY": ""}) as running:
        running.wait_for_device("raw:Pads:out")
        yield running


def press(conductor: RunningConductor, pads: MidiPeer, note: int = 36) -> None:
    before = conductor.status()["statistics"]["events_processed"]
    pads.send(f"99 {note:02x} 60")
    pads.send(f"89 {note:02x} 00")
    conductor.wait_status(lambda s: s["statistics"]["events_processed"] >= before + 2)


def test_mapping(conductor: RunningConductor) -> None:
    agent = Follower(conductor, "conductor-midi-mapping")
    [copy] = agent.call("get_mappings", mode="Default")["mappings"]
    assert agent.call("get_status")["mode"] == "Default"
    assert agent.call("simulate", gesture="tap 40")
    agent.propose(
        "create_mapping", mode="Default", trigger=PRESS, action=PASTE, examples=[PASTES, SILENT]
    )
    agent.propose("update_mapping", mode="Default", index=copy["index"], description="Copy")
    changes = [
        {
            "tool": "conductor_create_mapping",
            "arguments": {"mode": "Default", "trigger": {**PRESS, "note": note}, "action": PASTE},
        }
        for note in (37, 38)
    ]
    plan = agent.call("batch", operations=changes)
    with pytest.raises(ConductorError, match="waits for the user"):
        agent.call("apply_plan", plan_id=plan["plan_id"])
    agent.approve(plan)
    agent.assert_all_called()
    mappings = agent.call("get_mappings", mode="Default")["mappings"]
    assert len(mappings) == 4
    assert "Copy" in {each.get("description") for each in mappings}


def test_learn(conductor: RunningConductor, pads: MidiPeer) -> None:
    agent = Follower(conductor, "conductor-midi-learn")
    agent.call("start_midi_learn")
    for _ in range(3):
        press(conductor, pads)
    captured = agent.call("get_captured_events")
    triggers = [each["trigger"] for each in captured["suggestions"]]
    [best] = [trigger for trigger in triggers if trigger["type"] == "Note"]
    assert best["note"] == 36
    assert agent.call("stop_midi_learn")["events"]
    agent.propose(
        "create_mapping", mode="Default", trigger=best, action=PASTE, examples=[PASTES, SILENT]
    )
    rows = [
        {
            "tool": "conductor_create_mapping",
            "arguments": {"mode": "Default", "trigger": {**PRESS, "note": 37}, "action": PASTE},
        }
    ]
    agent.propose("batch", operations=rows)
    agent.assert_all_called()


def test_device_setup(conductor: RunningConductor, pads: MidiPeer) -> None:
    agent = Follower(conductor, "conductor-device-setup")
    agent.call("get_status")
    devices = agent.call("list_devices")["devices"]
    assert "raw:Pads:out" in {device["device_id"] for device in devices}
    agent.call("list_device_bindings")
    press(conductor, pads)
    events = agent.call("get_recent_events")["events"]
    assert "raw:Pads:out" in {event["device"] for event in events}
    matchers = [{"type": "NameContains", "pattern": "Pads"}]
    agent.propose("create_device_identity", alias="pads", matchers=matchers)
    rows = [
        {
            "tool": "conductor_create_mapping",
            "arguments": {
                "mode": "Default",
                "trigger": {**PRESS, "device": "pads"},
                "action": PASTE,
            },
        }
    ]
    agent.propose("batch", operations=rows)
    agent.assert_all_called()
    conductor.wait_for_device("pads")
    [binding] = [
        each
        for each in agent.call("list_device_bindings")["device_bindings"]
        if each["device_id"] == "pads"
    ]
    assert binding["connected"]


def test_modes_and_profiles(conductor: RunningConductor) -> None:
    agent = Follower(conductor, "conductor-profile-manager")
    assert [mode["name"] for mode in agent.call("list_modes")["modes"]] == ["Default"]
    assert agent.call("list_profiles")["profiles"] == []
    agent.call("get_mappings", mode="Default")
    agent.call("get_status")
    toggle = {"type": "ModeChange", "mode": "Live", "behaviour": "toggle"}
    rows = [
        {"tool": "conductor_create_mode", "arguments": {"name": "Live"}},
        {
            "tool": "conductor_create_mapping",
            "arguments": {"trigger": {**PRESS, "note": 60}, "action": toggle},
        },
    ]
    there_and_back = {
        "name": "there and back",
        "gesture": "tap 60; tap 60",
        "expect": [{"type": "ModeChange"}, {"type": "ModeChange"}],
    }
    agent.propose("batch", operations=rows, examples=[there_and_back])
    agent.propose("create_mode", name="Edit")
    agent.propose("update_mode", mode="Edit", new_name="Cut")
    agent.propose("create_profile", name="Browser", match={"executable": "firefox"})
    agent.propose("update_profile", profile="Browser", mode="Cut")
    agent.assert_all_called()
    names = [mode["name"] for mode in agent.call("list_modes")["modes"]]
    assert names == ["Default", "Live", "Cut"]
