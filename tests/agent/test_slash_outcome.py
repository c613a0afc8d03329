"""What a command that was called comes to, in words."""

from typing import Any

from tests.agent.saying import called

from conductor.agent.slash.answer import SlashCall
from conductor.agent.slash.render import render_result
from conductor.agent.slash.turn import describe_outcome
from conductor.domain.value import Value
from conductor.errors import NotAllowed, NothingToUndo
from conductor.tools.executor import ToolOutcome


class Planned(Value):
    plan_id: str = "p"
    description: str = "Change “Copy” in mode Default: F5"


def test_the_status_counts_and_names_devices_as_the_window_does() -> None:
    virtual = {"device_id": "virtual", "port_name": "Virtual controller"}
    without_alias = {"device_id": "raw:Launchkey", "port_name": "Launchkey"}
    pads = {"device_id": "pads", "port_name": "Maschine"}
    absent = {"device_id": "keys", "port_name": "keys", "connected": False}

    def render(mappings: int, *devices: dict[str, Any]) -> str:
        status = {
            "version": "1",
            "lifecycle_state": "Running",
            "paused": False,
            "mode": "Default",
            "profile": None,
            "problems": [],
            "notices": [],
            "mappings": mappings,
        }
        rows = [{"connected": True, **device} for device in devices]
        return render_result("conductor_get_status", {**status, "devices": rows})

    assert "- 1 mapping.\n- 1 device: Virtual controller." in render(1, virtual, absent)
    assert "- 2 mappings.\n- 2 devices: pads, Launchkey." in render(2, pads, without_alias)
    assert "- 0 mappings.\n- No devices." in render(0)


def test_devices_are_listed_by_the_names_of_the_window() -> None:
    rows = [
        {"device_id": "virtual", "port_name": "Virtual controller"},
        {"device_id": "raw:Launchkey", "port_name": "Launchkey"},
        {"device_id": "pads", "port_name": "Maschine", "enabled": False},
    ]
    states = [{"connected": True, "enabled": True, **row} for row in rows]
    shown = render_result("conductor_list_device_bindings", {"device_bindings": states})

    assert shown == "- Virtual controller\n- Launchkey\n- pads (Maschine): muted"


def test_nothing_to_undo_is_a_plain_sentence() -> None:
    outcome = ToolOutcome(None, error=NothingToUndo("there is nothing to undo"))
    assert describe_outcome(called("/undo"), outcome) == "There is nothing to undo."


def test_what_was_refused_is_said_with_its_reason() -> None:
    outcome = ToolOutcome(None, error=NotAllowed("too many plans wait"))
    said = describe_outcome(called("/undo"), outcome)
    assert said == "Not done: Undo the last change.\nToo many plans wait."


def test_a_proposal_is_worded_as_the_plan() -> None:
    said = describe_outcome(called("/map 37 to f5 in Default"), ToolOutcome(None, Planned()))
    assert said == "Proposed: Change “Copy” in mode Default: F5."


def test_a_name_that_stays_is_said_after_the_proposal() -> None:
    request = SlashCall(tool="conductor_update_mapping", words="", note="It keeps its name.")
    said = describe_outcome(request, ToolOutcome(None, Planned()))
    assert said == "Proposed: Change “Copy” in mode Default: F5. It keeps its name."
