"""Runs of code as pages take them over the wire: the first page that asks has it, and only its answer counts."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from tests.bridge.conftest import CONFIG
from tests.support.page import CommandFailed, Page
from tests.support.running import WITH_ABILITIES, RunningConductor

from conductor.cli.client import SocketClient
from conductor.errors import ConductorError

pytestmark = pytest.mark.timeout(90)
Plain = dict[str, Any]
Run = Callable[[str], "Future[Plain]"]
ANSWER: Plain = {"output": "hi\n", "result": "2", "duration_ms": 3}


@pytest.fixture
def run(conductor: RunningConductor) -> Run:
    """Return what asks for a run, as an agent does, while the test is the page."""
    conductor.use(CONFIG + WITH_ABILITIES)
    pool = ThreadPoolExecutor()

    def ask(code: str) -> Plain:
        with closing(SocketClient(conductor.home / "mcp.sock", 60.0)) as client:
            return client.call_method("conductor_run_code", language="python", code=code)

    return lambda code: pool.submit(ask, code)


@pytest.fixture
def second(page: Page) -> Page:
    return Page(page.origin, page.session)


def wanted(page: Page) -> str:
    return page.wait_news("code", lambda run: run["state"] == "wanted")["run_id"]


def take(page: Page) -> str:
    """Accept a run as a page does, which asks for every offer: some may be over already."""
    while True:
        run_id = wanted(page)
        page.news.clear()
        if page.call("code.begin", run_id=run_id)["task"] is not None:
            return run_id


def test_the_first_page_that_asks_has_the_run_and_its_answer_alone_counts(
    page: Page, second: Page, run: Run
) -> None:
    with second:
        answer = run("1 + 1")
        run_id = wanted(page)
        assert wanted(second) == run_id
        task = page.call("code.begin", run_id=run_id)["task"]
        assert (task["language"], task["code"]) == ("python", "1 + 1")
        assert second.call("code.begin", run_id=run_id) == {"task": None}
        forged = {**ANSWER, "result": "forged"}
        assert second.call("code.done", run_id=run_id, **forged) == {"taken": False}
        assert page.call("code.done", run_id=run_id, **ANSWER) == {"taken": True}
        assert page.call("code.done", run_id=run_id, **forged) == {"taken": False}
    assert answer.result() == {**ANSWER, "error": None, "timed_out": False}


def test_a_page_that_is_closed_in_the_middle_ends_its_run_at_once_with_what_to_do(
    page: Page, second: Page, run: Run
) -> None:
    with second:
        answer = run("while True: pass")
        assert second.call("code.begin", run_id=wanted(second))["task"] is not None
    with pytest.raises(ConductorError, match=r"was closed or reloaded.*run the code again"):
        answer.result()


def test_a_page_that_is_loaded_again_has_lost_what_it_ran(page: Page, run: Run) -> None:
    answer = run("while True: pass")
    take(page)
    page.call("code.ready")
    with pytest.raises(ConductorError, match="reloaded"):
        answer.result()


def test_runs_come_one_after_the_other(page: Page, run: Run) -> None:
    first, then = run("'a'"), run("'b'")
    for _ in range(2):
        run_id = wanted(page)
        code = page.call("code.begin", run_id=run_id)["task"]["code"]
        page.news.clear()
        page.call("code.done", run_id=run_id, **{**ANSWER, "result": code})
    assert {first.result()["result"], then.result()["result"]} == {"'a'", "'b'"}


@pytest.mark.parametrize(
    "said",
    [
        {"output": "x" * 30_000},
        {"output": 5},
        {"result": "x" * 5_000},
        {"error": "x" * 5_000},
        {"duration_ms": -1},
        {"more": 1},
    ],
)
def test_an_answer_that_is_none_is_refused_and_a_right_one_still_taken(
    page: Page, run: Run, said: Plain
) -> None:
    answer = run("1 + 1")
    run_id = take(page)
    with pytest.raises(CommandFailed, match="params_invalid"):
        page.call("code.done", run_id=run_id, **{**ANSWER, **said})
    page.news.clear()
    assert page.call("code.done", run_id=run_id, **ANSWER)["taken"]
    assert answer.result()["result"] == "2"
