"""Calls that become tasks for clients that declare them: a plan that waits for the user, over the socket."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.clients import CONFIG, FORMS, WITHOUT_PARTS, modes
from tests.mcp.test_socket_server import Line
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.terminal import at_terminal

TASKS = "io.modelcontextprotocol/tasks"
MISSING_CAPABILITY, INVALID_PARAMS = -32021, -32602
APPLY = "conductor_apply_plan"
ENDED = ("completed", "failed", "cancelled")


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


@pytest.fixture(autouse=True)
def same_config(conductor: RunningConductor) -> None:
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)


class Agent:
    """A client of 2026-07-28 that writes its own lines."""

    def __init__(
        self, line: Line, *, knows_tasks: bool = True, shows_forms: bool = False, name: str = "mcp"
    ) -> None:
        self._line = line
        self._number = 0
        able: dict[str, Any] = {"extensions": {TASKS: {}}} if knows_tasks else {}
        self._meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                **able,
                **({"elicitation": {"form": {}}} if shows_forms else {}),
            },
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        }

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method}
        return self._line.ask(json.dumps({**message, "params": {**params, "_meta": self._meta}}))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def plan(self, mode: str = "Keys") -> str:
        return self.call("conductor_create_mode", name=mode)["structuredContent"]["plan_id"]

    def task(self, task_id: str) -> dict[str, Any]:
        return self.ask("tasks/get", taskId=task_id)["result"]

    def wait_until(self, task_id: str, *statuses: str) -> dict[str, Any]:
        return wait_for(lambda: self.task(task_id), lambda task: task["status"] in statuses)


@pytest.fixture
def agent(conductor: RunningConductor) -> Generator[Agent]:
    with Line(conductor.home / "mcp.sock") as line:
        yield Agent(line)


@pytest.fixture
def asking(conductor: RunningConductor) -> Generator[Agent]:
    """A client that the user has named, so that its forms count."""
    conductor.use(CONFIG + FORMS)
    with Line(conductor.home / "mcp.sock") as line:
        yield Agent(line, shows_forms=True)


def test_the_extension_is_announced(agent: Agent):
    found = agent.ask("server/discover")["result"]["capabilities"]
    assert found["extensions"][TASKS] == {}
    assert "tasks" not in found


def test_a_call_that_takes_no_time_is_answered_at_once(agent: Agent):
    for _ in range(2):
        status = agent.call("conductor_get_status")
        assert status["resultType"] == "complete"
        assert status["structuredContent"]["daemon_running"] is True
    assert agent.ask("tools/call", name="conductor_fly")["error"]["code"] == INVALID_PARAMS


def test_a_plan_that_waits_is_a_task_until_the_user_approves(
    conductor: RunningConductor, agent: Agent
):
    plan_id = agent.plan()
    created = agent.call(APPLY, plan_id=plan_id)
    assert created["resultType"] == "task"
    assert created["status"] == "working"
    assert plan_id in created["statusMessage"]
    assert "result" not in created
    got = agent.task(created["taskId"])
    assert (got["resultType"], got["status"]) == ("complete", "working")
    assert modes(conductor) == ["Default", "Drums"]
    at_terminal(conductor, "plans", "approve", plan_id, "--yes")
    ended = agent.wait_until(created["taskId"], *ENDED)
    assert ended["status"] == "completed"
    assert ended["result"]["structuredContent"]["status"] == "applied"
    assert modes(conductor) == ["Default", "Drums", "Keys"]


def test_a_task_outlives_its_connection(conductor: RunningConductor):
    with Line(conductor.home / "mcp.sock") as line:
        first = Agent(line)
        plan_id = first.plan()
        task_id = first.call(APPLY, plan_id=plan_id)["taskId"]
    at_terminal(conductor, "plans", "approve", plan_id, "--yes")
    with Line(conductor.home / "mcp.sock") as line:
        assert Agent(line).wait_until(task_id, *ENDED)["status"] == "completed"


def test_a_plan_that_the_user_rejects_ends_its_task_with_the_tools_error(
    conductor: RunningConductor, agent: Agent
):
    plan_id = agent.plan()
    task_id = agent.call(APPLY, plan_id=plan_id)["taskId"]
    at_terminal(conductor, "plans", "reject", plan_id)
    ended = agent.wait_until(task_id, *ENDED)
    assert ended["status"] == "completed"
    assert ended["result"]["isError"] is True
    assert modes(conductor) == ["Default", "Drums"]


def test_a_cancelled_task_leaves_its_plan_to_the_user(conductor: RunningConductor, agent: Agent):
    plan_id = agent.plan()
    task_id = agent.call(APPLY, plan_id=plan_id)["taskId"]
    for _ in range(2):
        acknowledged = agent.ask("tasks/cancel", taskId=task_id)["result"]
        assert {key for key in acknowledged if key != "_meta"} == {"resultType"}
    assert agent.task(task_id)["status"] == "cancelled"
    plan = agent.call("conductor_get_plan", plan_id=plan_id)["structuredContent"]
    assert plan["status"] == "pending"


def test_a_client_that_does_not_know_tasks_is_answered_as_before(conductor: RunningConductor):
    with Line(conductor.home / "mcp.sock") as line:
        plain = Agent(line, knows_tasks=False)
        waits = plain.call(APPLY, plan_id=plain.plan())
        assert waits["resultType"] == "complete"
        assert waits["structuredContent"]["status"] == "pending"
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            refused = plain.ask(method, taskId="x", inputResponses={})["error"]
            assert refused["code"] == MISSING_CAPABILITY
            assert TASKS in refused["data"]["requiredCapabilities"]["extensions"]
        listening = plain.ask("subscriptions/listen", notifications={"taskIds": ["x"]})
        assert listening["error"]["code"] == MISSING_CAPABILITY


def test_a_task_of_another_client_does_not_exist(conductor: RunningConductor, agent: Agent):
    task_id = agent.call(APPLY, plan_id=agent.plan())["taskId"]
    with Line(conductor.home / "mcp.sock") as line:
        other = Agent(line, name="somebody else")
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            for wanted in (task_id, "made-up"):
                refused = other.ask(method, taskId=wanted, inputResponses={})["error"]
                assert refused["code"] == INVALID_PARAMS
    assert agent.task(task_id)["status"] == "working"


def test_methods_of_the_former_tasks_are_gone(agent: Agent):
    for method in ("tasks/list", "tasks/result"):
        assert agent.ask(method, taskId="x")["error"]["code"] == -32601


def asked(agent: Agent) -> tuple[str, str, str, str]:
    """Make a plan whose approval is asked for; return plan, task, key and text of the question."""
    plan_id = agent.plan()
    created = agent.call(APPLY, plan_id=plan_id)
    assert created["resultType"] == "task"
    task = agent.wait_until(created["taskId"], "input_required")
    ((key, request),) = task["inputRequests"].items()
    assert request["method"] == "elicitation/create"
    return plan_id, created["taskId"], key, request["params"]["message"]


def respond(agent: Agent, task_id: str, key: str, **answer: Any) -> dict[str, Any]:
    return agent.ask("tasks/update", taskId=task_id, inputResponses={key: answer})


def test_a_form_in_a_task_applies_the_plan_it_showed(conductor: RunningConductor, asking: Agent):
    _, task_id, key, shown = asked(asking)
    assert '+name = "Keys"' in shown or "Keys" in shown
    respond(asking, task_id, "made-up", action="accept", content={"approve": True})
    assert respond(asking, task_id, key, action="sideways")["error"]["code"] == INVALID_PARAMS
    assert asking.task(task_id)["status"] == "input_required"
    done = respond(asking, task_id, key, action="accept", content={"approve": True})["result"]
    assert done["resultType"] == "complete"
    ended = asking.wait_until(task_id, *ENDED)
    assert ended["result"]["structuredContent"]["status"] == "applied"
    assert "inputRequests" not in ended
    assert modes(conductor) == ["Default", "Drums", "Keys"]


def test_a_no_in_a_task_rejects_the_plan_for_good(conductor: RunningConductor, asking: Agent):
    plan_id, task_id, key, _ = asked(asking)
    respond(asking, task_id, key, action="decline")
    ended = asking.wait_until(task_id, *ENDED)
    assert ended["result"]["isError"] is True
    assert "declined" in ended["result"]["content"][0]["text"]
    plan = asking.call("conductor_get_plan", plan_id=plan_id)["structuredContent"]
    assert plan["status"] == "rejected"
    assert modes(conductor) == ["Default", "Drums"]


def test_a_form_that_is_closed_leaves_the_decision_to_the_window(
    conductor: RunningConductor, asking: Agent
):
    plan_id, task_id, key, _ = asked(asking)
    respond(asking, task_id, key, action="cancel")
    assert asking.wait_until(task_id, "working", *ENDED)["status"] == "working"
    at_terminal(conductor, "plans", "approve", plan_id, "--yes")
    assert asking.wait_until(task_id, *ENDED)["status"] == "completed"


def test_the_user_at_a_terminal_may_answer_before_the_form(
    conductor: RunningConductor, asking: Agent
):
    plan_id, task_id, key, _ = asked(asking)
    at_terminal(conductor, "plans", "approve", plan_id, "--yes")
    ended = asking.wait_until(task_id, *ENDED)
    assert ended["result"]["structuredContent"]["status"] == "applied"
    respond(asking, task_id, key, action="decline")
    assert asking.task(task_id)["status"] == "completed"
    assert modes(conductor) == ["Default", "Drums", "Keys"]


def test_no_form_is_shown_for_what_could_run_a_program(conductor: RunningConductor, asking: Agent):
    action = {"type": "Launch", "app": "/bin/sh", "args": ["-c", "id"]}
    note = {"type": "Note", "note": 36}
    made = asking.call("conductor_create_mapping", mode="Default", trigger=note, action=action)
    created = asking.call(APPLY, plan_id=made["structuredContent"]["plan_id"])
    assert created["status"] == "working"
    assert asking.task(created["taskId"])["status"] == "working"
    assert Path(conductor.config_path).read_text() == CONFIG + FORMS
