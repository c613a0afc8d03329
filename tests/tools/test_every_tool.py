"""Every tool, by its public name, through the socket of a Conductor that really runs."""

import json
from collections.abc import Generator
from typing import Any

import jsonschema
import pytest
from tests.support.running import RunningConductor, free_udp_port, running_conductor, send_osc
from tests.tools.terminal import at_terminal

from conductor.errors import ConductorError
from conductor.tools.catalog import REGISTRY

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
NOTE = {"type": "Note", "note": 36}
COPY = {"type": "Keystroke", "keys": ["cmd", "c"]}
PORT = free_udp_port()
CONFIG = f"""
[[modes]]
name = "Default"
color = "blue"
[[modes.mappings]]
description = "loud"
trigger = {{ type = "OscMessage", address = "/go" }}
action = {{ type = "SetVariable", name = "gone", value = 1 }}
[[modes]]
name = "DJ"
[[profiles]]
name = "Web"
match = {{ executable = "firefox" }}
[[devices]]
alias = "apc"
matchers = [{{ type = "NameContains", pattern = "APC" }}]
[settings.engine]
osc_port = {PORT}
[llm.mcp]
toolsets = {json.dumps(sorted({tool.toolset for name in REGISTRY.list_names_and_aliases() if (tool := REGISTRY.find_tool(name))}))}
"""
PLAN_FIELDS = {"plan_id", "description", "changes", "diff_preview", "base_state_hash", "expires_at"}
RESULTS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "get_status": (
        {},
        {"daemon_running", "lifecycle_state", "connected", "device_connected", "device"}
        | {"uptime_secs", "input_mode", "statistics"},
    ),
    "get_config": ({}, {"content", "path", "hash"}),
    "list_modes": ({}, {"modes"}),
    "get_mappings": ({"mode": "Default"}, {"mode", "mappings"}),
    "list_mappings": ({"mode": "Default"}, {"mode", "mappings"}),
    "get_mapping": ({"mode": "Default", "index": 0}, {"mode", "mapping"}),
    "list_devices": ({}, {"midi_inputs", "midi_outputs", "gamepads"}),
    "list_device_bindings": (
        {},
        {
            "device_bindings",
            "multi_device_active",
            "total_devices",
            "connected_count",
            "muted_count",
        },
    ),
    "validate_config": ({}, {"valid", "errors", "warnings", "coverage"}),
    "get_captured_events": ({}, {"events", "suggestions"}),
    "get_recent_events": ({"limit": 5}, {"events"}),
    "explain_event": ({}, {"trace", "winner", "answer"}),
    "simulate": ({"gesture": "osc /go 1"}, {"actions", "steps", "final_mode"}),
    "list_profiles": ({}, {"profiles"}),
    "get_settings": ({}, {"settings", "llm"}),
    "list_plugins": ({}, {"plugins"}),
    "search_knowledge": ({"query": "sustain pedal", "k": 2}, {"chunks"}),
    "read_skill": (
        {"skill": "conductor-midi-mapping", "file": "references/TRIGGERS.md"},
        {"text", "next_start"},
    ),
    "list_plans": ({}, {"plans"}),
    "describe_types": ({"topics": ["LongPress", "when", "keys"]}, {"text"}),
    "list_versions": ({"limit": 3}, {"versions"}),
    "calculate": ({"expression": "15% of 847"}, {"result", "value", "also"}),
    "discover_skills": ({"query": "undo"}, {"skills", "others", "message"}),
    "add_note": ({"title": "Rig", "text": "CC 64"}, {"note_id", "title", "text", "tags"}),
    "find_notes": ({"query": "rig"}, {"notes"}),
    "add_task": ({"title": "Solder", "due": "2026-12-01"}, {"task_id", "due", "done"}),
    "find_tasks": ({}, {"tasks"}),
    "recall": ({"query": "rig"}, {"found", "searched"}),
    "start_midi_learn": ({"timeout_ms": 5000}, {"status", "expires_at"}),
    "stop_midi_learn": ({}, {"events", "suggestions"}),
    "set_device_enabled": (
        {"device_id": "osc", "enabled": True},
        {"device_id", "enabled", "message"},
    ),
    "scan_ports": ({}, {"message"}),
    "switch_mode": ({"mode": "Default"}, {"success", "mode_name", "mode_index", "total_modes"}),
    "panic": ({}, {"message"}),
    "create_mapping": ({"mode": "Default", "trigger": NOTE, "action": COPY}, PLAN_FIELDS),
    "update_mapping": ({"mode": "Default", "index": 0, "description": "new"}, PLAN_FIELDS),
    "delete_mapping": ({"mode": "Default", "index": 0}, PLAN_FIELDS),
    "create_mode": ({"name": "Live"}, PLAN_FIELDS),
    "update_mode": ({"mode": "DJ", "color": "red"}, PLAN_FIELDS),
    "delete_mode": ({"mode": "DJ"}, PLAN_FIELDS),
    "create_device_identity": (
        {"alias": "keystep", "matchers": [{"type": "NameContains", "pattern": "KeyStep"}]},
        PLAN_FIELDS,
    ),
    "create_profile": ({"name": "Mail", "match": {"executable": "mutt"}}, PLAN_FIELDS),
    "update_profile": ({"profile": "Web", "mode": "DJ"}, PLAN_FIELDS),
    "delete_profile": ({"profile": "Web"}, PLAN_FIELDS),
    "update_settings": ({"settings": {"learn": {"chord_ms": 80}}}, PLAN_FIELDS),
    "batch": (
        {
            "operations": [
                {"tool": "conductor_create_mode", "arguments": {"name": "A"}},
                {
                    "tool": "conductor_create_mapping",
                    "arguments": {"mode": "A", "trigger": NOTE, "action": COPY},
                },
            ]
        },
        PLAN_FIELDS,
    ),
    "reset_config": ({}, PLAN_FIELDS),
    "preview_action": ({"action": {"type": "SetVariable", "name": "x", "value": 2}}, PLAN_FIELDS),
    "send_sysex": (
        {"port": "Synth", "data": ["F0", "7E", "7F", "06", "01", "F7"]},
        {"token", "plan_id"},
    ),
}
REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "connect_device": ({"device_id": "nothing"}, "Invalid device: 'nothing' does not exist"),
    "disconnect_device": ({"device_id": "osc"}, "not a MIDI input"),
    "read_note": ({"note_id": "note_0"}, "Invalid note: 'note_0' does not exist"),
    "change_note": ({"note_id": "note_0", "title": "x"}, "Invalid note: 'note_0' does not exist"),
    "change_task": ({"task_id": "task_0", "done": True}, "Invalid task: 'task_0' does not exist"),
    "enable_plugin": ({"plugin": "none"}, "not installed"),
    "disable_plugin": ({"plugin": "none"}, "not switched on"),
    "send_midi": (
        {"port": "Nowhere", "messages": [{"type": "note_on", "channel": 1, "note": 60}]},
        "no MIDI output named `Nowhere`",
    ),
    "read_file": ({}, "no folder that the assistant may read"),
    "web_fetch": ({"url": "https://example.com/"}, "Web fetch is switched off"),
    "web_search": ({"query": "zaptron"}, "Web search is switched off"),
}
"""Tools whose work needs what is not here; `test_hardware.py` and the next tests do it."""
ELSEWHERE = {
    "get_plan",
    "apply_plan",
    "undo",
    "redo",
    "restore_version",
    "delete_note",
    "delete_task",
    "run_code",
}


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        running.wait_for_device("osc", "osc")
        yield running


def test_no_tool_is_left_out():
    tested = {*RESULTS, *REFUSALS, *ELSEWHERE}
    names = {name.removeprefix("conductor_") for name in REGISTRY.list_names_and_aliases()}
    assert tested == names


@pytest.mark.parametrize("name", RESULTS)
def test_a_tool_answers_with_the_fields_and_the_schema_it_promises(
    conductor: RunningConductor, name: str
):
    arguments, fields = RESULTS[name]

    result = conductor.call(f"conductor_{name}", **arguments)

    assert fields <= set(result)
    tool = REGISTRY.find_tool(f"conductor_{name}")
    assert tool is not None
    jsonschema.validate(result, tool.output_schema)
    jsonschema.validate(arguments, tool.input_schema)


@pytest.mark.parametrize("name", REFUSALS)
def test_a_tool_says_what_is_missing(conductor: RunningConductor, name: str):
    arguments, message = REFUSALS[name]
    with pytest.raises(ConductorError, match=message):
        conductor.call(f"conductor_{name}", **arguments)


def test_an_alias_that_nothing_answers_to_is_listed(conductor: RunningConductor):
    assert conductor.call("conductor_list_devices")["absent"] == ["apc"]
    rows = conductor.call("conductor_list_device_bindings")["device_bindings"]
    (row,) = [one for one in rows if one["device_id"] == "apc"]
    assert (row["connected"], row["is_configured"], row["port_name"]) == (False, True, "")


def test_a_plan_is_approved_at_the_terminal_applied_undone_and_redone(conductor: RunningConductor):
    before = conductor.call("conductor_get_config")["content"]
    plan = conductor.call(
        "conductor_create_mapping",
        mode="DJ",
        trigger=NOTE,
        action=COPY,
        examples=[
            {"name": "copies", "gesture": "tap 36", "mode": "DJ", "expect": [{"type": "Keystroke"}]}
        ],
    )
    assert '+ trigger = { type = "Note", note = 36 }' in plan["diff_preview"]
    assert conductor.call("conductor_get_plan", plan_id=plan["plan_id"])["status"] == "pending"

    done = at_terminal(conductor, "plans", "approve", plan["plan_id"], "--yes", "--no-apply")
    assert done.returncode == 0, done.stdout
    applied = conductor.call("conductor_apply_plan", plan_id=plan["plan_id"])
    assert applied["status"] == "applied"
    assert applied["approved_by"]["client"] == "terminal"
    assert conductor.call("conductor_apply_plan", plan_id=plan["plan_id"])["status"] == "applied"
    after = conductor.call("conductor_get_config")["content"]
    assert len(conductor.call("conductor_get_mappings", mode="DJ")["mappings"]) == 1
    tested = conductor.cli("test")
    assert (tested.returncode, "ok   copies" in tested.stdout) == (0, True), tested.stdout

    for word, expected in (("undo", before), ("redo", after)):
        step = conductor.call(f"conductor_{word}")
        # undoing what came with an example breaks that example
        meant = ("--break-examples",) if word == "undo" else ()
        done = at_terminal(conductor, "plans", "approve", step["plan_id"], "--yes", *meant)
        assert "applied" in done.stdout, done.stdout
        assert conductor.call("conductor_get_config")["content"] == expected


def test_an_older_version_is_found_in_the_history_and_restored_after_approval(
    conductor: RunningConductor,
):
    before = conductor.call("conductor_get_config")["content"]
    conductor.use(f"{before}\n[[modes]]\nname = 'Late'\n")
    rows = conductor.call("conductor_list_versions")["versions"]
    assert (rows[0]["current"], rows[0]["reason"], rows[0]["kind"]) == (
        True,
        "edited by hand",
        "file",
    )
    assert rows[0]["changed"] == ["added mode Late"]
    older = conductor.call("conductor_list_versions", before=rows[0]["version"], limit=1)
    assert [one["version"] for one in older["versions"]] == [rows[1]["version"]]

    plan = conductor.call("conductor_restore_version", version=rows[1]["version"])

    assert "- name = " in plan["diff_preview"]
    assert "Late" in conductor.call("conductor_get_config")["content"]
    done = at_terminal(conductor, "plans", "approve", plan["plan_id"], "--yes")
    assert "applied" in done.stdout, done.stdout
    assert conductor.call("conductor_get_config")["content"] == before
    with pytest.raises(ConductorError, match="conductor_list_versions lists"):
        conductor.call("conductor_restore_version", version=100_000)


def test_an_action_is_performed_once_after_approval(conductor: RunningConductor):
    action = {"type": "ModeChange", "mode": "DJ"}
    plan = conductor.call("conductor_preview_action", action=action)
    assert plan["privileged"]
    assert conductor.status()["mode"] == "Default"

    done = at_terminal(conductor, "plans", "approve", plan["plan_id"], "--yes")

    assert "applied" in done.stdout, done.stdout
    conductor.wait_status(lambda status: status["mode"] == "DJ")
    conductor.call("conductor_switch_mode", mode="Default")


def test_an_event_is_explained(conductor: RunningConductor):
    send_osc(PORT, "/go", 1.0)
    conductor.wait_status(lambda status: status["statistics"]["actions_executed"] is not None)
    conductor.wait_status(lambda status: status["statistics"]["events_processed"] >= 1)
    answer = conductor.call("conductor_explain_event")
    assert answer["winner"] == "loud"
    assert "osc /go" in answer["answer"]


def test_the_commands_list_show_and_call(conductor: RunningConductor):
    plan = conductor.call("conductor_create_mode", name="Shown")
    assert plan["plan_id"] in conductor.cli("plans", "list").stdout
    assert '+ name = "Shown"' in conductor.cli("plans", "show", plan["plan_id"]).stdout
    assert "conductor_create_mapping" in conductor.cli("tools", "list").stdout
    called = conductor.cli("tools", "call", "conductor_get_mappings", '{"mode": "Default"}')
    assert json.loads(called.stdout)["mode"] == "Default"
    rejected = at_terminal(conductor, "plans", "reject", plan["plan_id"], "--reason", "no")
    assert "rejected" in rejected.stdout


def test_a_plan_and_the_check_of_the_config_warn_of_what_is_not_on_this_computer(
    conductor: RunningConductor,
):
    before = conductor.call("conductor_get_config")["content"]
    action = {"type": "SendMidi", "port": "Synth", "message_type": "NoteOn"}
    plan = conductor.call("conductor_create_mapping", mode="DJ", trigger=NOTE, action=action)
    expected = "no MIDI output is called `Synth` now"
    assert [one for one in plan["warnings"] if expected in one]
    row = (
        "{ trigger = { type = 'Note', note = 50 }, action = { type = 'Launch', app = 'terminl' } }"
    )
    conductor.use(f"global_mappings = [{row}]\n{before}")
    missing = "global_mappings[0].action: there is no program or app `terminl` on this computer"
    found = conductor.call("conductor_validate_config")
    assert (found["valid"], [missing in one for one in found["warnings"]]) == (True, [True])
    assert missing in conductor.cli("validate").stdout
    conductor.use(before)
