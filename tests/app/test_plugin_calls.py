"""A control calls a tool of an MCP server: OSC in, through engine and app, to a server that really runs."""

import json
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.page import Page, running_page
from tests.support.running import (
    RunningConductor,
    descendants,
    free_udp_port,
    mapped,
    send_osc,
    wait_for,
)

LAMP = str(Path(__file__).parents[1] / "support" / "lamp_server.py")
PORT = free_udp_port()
GO = "{ type = 'OscMessage', address = '/go' }"
KNOB = "{ type = 'OscMessage', address = '/knob' }"
LEVEL = (
    "{ type = 'Plugin', server = 'lamp', tool = 'set_level',"
    " args = { level = { from = 'value', max = 255 } } }"
)
ON = "[skills]\nservers = ['lamp']\n"
Rig = tuple[RunningConductor, Page, Path]


def plugin(tool: str, args: str = "{}", more: str = "") -> str:
    return f"{{ type = 'Plugin', server = 'lamp', tool = '{tool}', args = {args}{more} }}"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Generator[Rig]:
    notes = tmp_path_factory.mktemp("lamp") / "notes.jsonl"
    with running_page(config()) as (conductor, page):
        entry = {"command": sys.executable, "args": [LAMP, str(notes)]}
        page.call("servers.add", name="lamp", entry=entry)
        consent(page)
        yield conductor, page, notes


def config(*rows: tuple[str, str], more: str = ON) -> str:
    return mapped(*rows, settings=f"osc_port = {PORT}", more=more)


def consent(page: Page) -> None:
    page.call("servers.consent", name="lamp", digest=lamp(page)["digest"])
    wait_for(lambda: lamp(page), lambda one: one["state"] == "ready")


def lamp(page: Page) -> dict[str, Any]:
    return next(one for one in page.call("servers.list")["servers"] if one["name"] == "lamp")


def use(rig: Rig, *rows: tuple[str, str], more: str = ON) -> None:
    """Run this config with the lamp forgetting what it was asked."""
    conductor, page, notes = rig
    conductor.use(config(*rows, more=more))
    conductor.wait_for_device("osc", "osc")
    if more == ON:
        wait_for(lambda: lamp(page), lambda one: one["state"] == "ready")
    notes.write_text("")


def seen(rig: Rig) -> list[dict[str, Any]]:
    return [json.loads(line) for line in rig[2].read_text().splitlines()]


def failure(rig: Rig, tool: str) -> dict[str, Any]:
    """Wait for the failure of a tool in the monitor."""
    news = rig[1].wait_news("failure", lambda one: one["action"]["tool"] == tool)
    rig[1].news.clear()
    return news


def reason(rig: Rig, tool: str) -> str:
    return failure(rig, tool)["reason"]


def test_a_press_calls_the_tool_with_its_arguments(rig: Rig):
    use(rig, (GO, plugin("set_scene", "{ scene = { desk = [1, 2.5], on = true } }")))
    send_osc(PORT, "/go", 1)
    [call] = wait_for(lambda: seen(rig), bool)
    assert (call["tool"], call["scene"]) == ("set_scene", {"desk": [1, 2.5], "on": True})


def test_a_knob_is_followed_at_the_rate_and_to_where_it_came_to_rest(rig: Rig):
    use(rig, (KNOB, LEVEL))
    for number in range(400):
        send_osc(PORT, "/knob", number / 399)
    wait_for(lambda: seen(rig), lambda calls: calls and calls[-1]["level"] == 255)
    calls = seen(rig)
    assert len(calls) < 100
    assert [one["level"] for one in calls] == sorted(one["level"] for one in calls)
    span_s = calls[-1]["at"] - calls[0]["at"]
    assert len(calls) <= 2 + span_s * 20 * 1.5, "more than the rate allows"


def test_each_press_counts_when_the_server_is_slower_than_the_hand(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 0.05 }", ", rate_per_s = 100")))
    for _ in range(8):
        send_osc(PORT, "/go", 1)
    wait_for(lambda: seen(rig), lambda calls: len(calls) == 8)


def test_who_called_what_for_which_mapping_stands_in_the_audit_log(rig: Rig):
    use(rig, (GO, plugin("set_level", "{ level = 7 }")))
    send_osc(PORT, "/go", 1)
    wait_for(lambda: seen(rig), bool)
    rows = rig[1].call("activity.list")["entries"]
    row = next(one for one in rows if one["tool"] == "mcp:lamp:set_level")
    assert row["caller"] == "pad"
    assert "mode:Default #0" in json.dumps(row)


@pytest.mark.parametrize(
    ("action", "tool", "words"),
    [
        (plugin("burn_out"), "burn_out", "the bulb is broken"),
        (plugin("set_levl"), "set_levl", "has no tool set_levl"),
        (plugin("set_level", "{ level = 'high' }"), "set_level", "level"),
        (plugin("fade", "{ seconds = 60 }", ", timeout_s = 0.3"), "fade", "within 0.3 s"),
        (plugin("x").replace("'lamp'", "'lmp'"), "x", "no MCP server called lmp"),
    ],
    ids=["its error", "no such tool", "wrong arguments", "too slow", "no such server"],
)
def test_what_fails_is_shown_in_the_monitor_with_its_reason(
    rig: Rig, action: str, tool: str, words: str
):
    use(rig, (GO, action))
    rig[1].news.clear()
    send_osc(PORT, "/go", 1)
    told = failure(rig, tool)
    assert words in told["reason"]
    assert told["scope"] == "mode:Default"
    status = rig[0].wait_status(
        lambda s: s["failures"] and s["failures"][-1]["action"]["tool"] == tool
    )
    assert status["failures"][-1]["reason"] == told["reason"]


def test_a_call_that_took_too_long_is_cancelled_at_the_server(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 0.3")))
    send_osc(PORT, "/go", 1)
    assert "within 0.3 s" in reason(rig, "fade")
    wait_for(lambda: seen(rig), lambda calls: calls[-1]["tool"] == "fade cancelled")


def test_a_panic_cancels_the_call_under_way(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 60")))
    send_osc(PORT, "/go", 1)
    wait_for(lambda: seen(rig), bool)
    rig[1].call("engine.panic")
    assert reason(rig, "fade") == "cancelled"
    wait_for(lambda: seen(rig), lambda calls: calls[-1]["tool"] == "fade cancelled")


def test_a_sequence_waits_for_the_tool_and_stops_when_it_fails(rig: Rig):
    steps = ", ".join([plugin("fade", "{ seconds = 0.1 }"), plugin("set_level", "{ level = 1 }"),
                       plugin("burn_out"), plugin("set_level", "{ level = 2 }")])  # fmt: skip
    use(rig, (GO, f"{{ type = 'Sequence', actions = [{steps}] }}"))
    send_osc(PORT, "/go", 1)
    assert "broken" in reason(rig, "burn_out")
    assert [(one["tool"], one.get("level")) for one in seen(rig)] == [
        ("fade", None),
        ("set_level", 1),
    ]


def test_a_tool_that_the_user_switched_off_is_not_called(rig: Rig):
    use(rig, (GO, plugin("set_level", "{ level = 7 }")),
        more=ON + "tools = { 'mcp:lamp:set_level' = false }\n")  # fmt: skip
    send_osc(PORT, "/go", 1)
    assert "switched off" in reason(rig, "set_level")


def test_a_server_that_is_switched_off_is_not_called_and_the_config_is_warned_of(rig: Rig):
    use(rig, (GO, plugin("set_level", "{ level = 7 }")), more="")

    def refused() -> str:
        send_osc(PORT, "/go", 1)
        return reason(rig, "set_level")

    wait_for(refused, lambda why: "the MCP server lamp is switched off" in why)
    checked = rig[0].call("conductor_validate_config")
    assert any("`lamp` is not switched on" in one for one in checked["warnings"])


def test_the_config_is_warned_of_tools_and_servers_that_are_not_there(rig: Rig):
    rows = [(GO, plugin("set_levl")), (KNOB, plugin("x").replace("'lamp'", "'lmp'"))]
    use(rig, *rows)
    warnings = rig[0].call("conductor_validate_config")["warnings"]
    assert any("has no tool `set_levl` - did you mean `set_level`?" in one for one in warnings)
    assert any(
        "no MCP server in mcp.json is called `lmp` - did you mean" in one for one in warnings
    )


def test_a_server_that_dies_in_a_call_is_a_failure_and_the_next_press_works_again(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 30")), (KNOB, LEVEL))
    send_osc(PORT, "/go", 1)
    wait_for(lambda: seen(rig), bool)
    os.kill(pid_of_lamp(rig), signal.SIGKILL)
    assert reason(rig, "fade")

    def works() -> bool:
        send_osc(PORT, "/knob", 0.5)
        return any(one["tool"] == "set_level" for one in seen(rig))

    wait_for(works, bool)


def pid_of_lamp(rig: Rig) -> int:
    for pid in reversed(descendants(rig[0].process.pid)):
        if (
            LAMP in Path(f"/proc/{pid}/cmdline").read_text()
            and "warden" not in Path(f"/proc/{pid}/cmdline").read_text()
        ):
            return pid
    raise AssertionError("no lamp runs")


def test_a_killed_engine_leaves_no_call_behind_and_controls_work_again(rig: Rig):
    use(rig, (GO, plugin("fade", "{ seconds = 60 }", ", timeout_s = 30")), (KNOB, LEVEL))
    send_osc(PORT, "/go", 1)
    wait_for(lambda: seen(rig), bool)
    os.kill(rig[0].engine_pid, signal.SIGKILL)
    wait_for(lambda: seen(rig), lambda calls: calls[-1]["tool"] == "fade cancelled")

    def works() -> bool:
        send_osc(PORT, "/knob", 1.0)
        return any(one.get("level") == 255 for one in seen(rig))

    wait_for(works, bool)
