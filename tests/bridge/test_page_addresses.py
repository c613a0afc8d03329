"""Who is given an address of the page of a running Conductor, and what such a page may do."""

import json
import socket
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.support.page import CommandFailed, Page
from tests.support.running import RunningConductor, running_conductor

pytestmark = pytest.mark.timeout(300)
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
CONFIG = """
[[modes]]
name = "Default"
"""


@pytest.fixture(scope="module")
def running() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=ALONE, with_page=True) as running:
        yield running


@pytest.fixture(scope="module")
def first(running: RunningConductor) -> Generator[Page]:
    with Page(running.address()) as page:
        yield page


@pytest.fixture
def second(running: RunningConductor, first: Page) -> Generator[tuple[Page, str]]:
    """Yield a page of a second start at a terminal, and its number."""
    shown = at_terminal(running, "run", "--browser")
    number = shown.split("conductor pages confirm ")[1].split("`")[0]
    with Page(shown.split("Open ")[1].split()[0]) as page:
        yield page, number


def at_terminal(running: RunningConductor, *arguments: str) -> str:
    with at_the_keys(running.environment, *arguments) as keys:
        assert keys.ends() == 0, keys.shown
        return keys.shown


def proposed(running: RunningConductor) -> str:
    settings = {"engine": {"allow_shell": True}}
    return running.call("conductor_update_settings", settings=settings)["plan_id"]


def entries(page: Page, tool: str) -> list[dict[str, Any]]:
    return page.call("activity.list", tool=tool)["entries"]


def test_a_second_start_without_a_terminal_is_given_no_address(
    running: RunningConductor, first: Page
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conductor", "run", "--browser"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=running.environment,
        start_new_session=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "http://" not in done.stdout + done.stderr
    assert "must run at a terminal" in done.stderr
    refused = entries(first, "terminal.page")[0]
    assert refused["outcome"] == "not_allowed"
    assert refused["pid"] is not None
    assert "python" in refused["executable"]


def test_a_program_that_is_not_our_command_is_given_no_address(running: RunningConductor) -> None:
    line = b'{"jsonrpc":"2.0","method":"terminal.page","params":{},"id":1}\n'
    with socket.socket(socket.AF_UNIX) as raw:
        raw.connect(str(running.home / "mcp.sock"))
        raw.sendall(line)
        answer = json.loads(raw.makefile("rb").readline())
    assert "address" not in json.dumps(answer.get("result", {}))
    assert answer["error"]["data"]["kind"] == "not_allowed"


def test_no_file_of_the_home_folder_opens_a_page(running: RunningConductor) -> None:
    assert not (running.home / "run" / "bell").exists()


def test_an_address_given_at_a_terminal_is_in_the_audit_log_with_its_process(
    second: tuple[Page, str],
) -> None:
    page, number = second
    given = entries(page, "terminal.page")[0]
    assert given["outcome"] == "ok"
    assert given["pid"] is not None
    assert "python" in given["executable"]
    assert f"page {number}" in given["detail"]


def test_a_page_of_a_second_start_looks_but_changes_nothing_until_it_is_confirmed(
    running: RunningConductor, second: tuple[Page, str]
) -> None:
    page, number = second
    plan_id = proposed(running)
    assert page.call("plans.get", plan_id=plan_id)["plan"]["status"] == "pending"
    current = page.call("config.get")
    changes = [{"change_type": "UpdateSettings", "settings": {"engine": {"allow_shell": True}}}]
    for method, params in (
        ("plans.apply", {"plan_id": plan_id}),
        ("config.commit", {"changes": changes, "base_hash": current["hash"], "reason": ""}),
        ("keys.put", {"name": "openai", "api_key": "sk-1"}),
        ("virtual.play", {"do": "press", "control": "pad1", "value": None}),
        ("app.quit", {}),
    ):
        with pytest.raises(CommandFailed, match=f"conductor pages confirm {number}") as error:
            page.call(method, **params)
        assert error.value.code == "not_allowed", method
    assert running.call("conductor_get_plan", plan_id=plan_id)["status"] == "pending"
    refused = entries(page, "plans.apply")[0]
    assert (refused["caller"], refused["outcome"]) == ("page", "not_allowed")

    assert f"Page {number}" in at_terminal(running, "pages", "confirm", number, "--yes")

    assert page.call("plans.apply", plan_id=plan_id)["status"] == "applied"
    applied = entries(page, "plans.apply")[0]
    assert (applied["caller"], applied["outcome"]) == ("page", "ok")
    assert applied["client"] == f"page {number}, in a browser"


def test_a_page_is_not_confirmed_without_a_terminal(
    running: RunningConductor, second: tuple[Page, str]
) -> None:
    page, number = second
    done = running.cli("pages", "confirm", number, "--yes")
    assert done.returncode != 0
    assert "terminal" in done.stderr
    with pytest.raises(CommandFailed, match="confirm"):
        page.call("pages.confirm", number=int(number))


def test_the_page_of_the_first_start_confirms_another(
    running: RunningConductor, first: Page, second: tuple[Page, str]
) -> None:
    page, number = second
    notice = f"page {number} was requested by"
    assert notice in str(running.status()["notices"])
    rows = {str(one["number"]): one for one in first.call("pages.list")["pages"]}
    assert rows[number]["confirmed"] is False
    assert rows[number]["opened"] is True
    assert rows[number]["given_to"]
    first.call("pages.confirm", number=int(number))
    assert notice not in str(running.status()["notices"])
    page.call("engine.panic")


def test_a_page_that_comes_back_is_still_unconfirmed(second: tuple[Page, str]) -> None:
    page, _ = second
    with (
        Page(page.origin, page.session) as again,
        pytest.raises(CommandFailed, match="confirm"),
    ):
        again.call("engine.panic")


def test_a_second_start_without_a_terminal_may_not_choose_the_screen(
    running: RunningConductor,
) -> None:
    environment = {**running.environment, "DISPLAY": ":77"}
    done = subprocess.run(
        [sys.executable, "-m", "conductor", "run", "--window"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment,
        start_new_session=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "started without a display" in done.stderr


def test_the_window_is_told_of_an_address_and_may_confirm_its_page(
    running: RunningConductor, first: Page
) -> None:
    shown = at_terminal(running, "run", "--browser")
    number = int(shown.split("conductor pages confirm ")[1].split("`")[0])
    notice = first.wait_news("notice", lambda one: one["page"] == number)
    assert "was requested by conductor (process" in notice["text"]
