"""Code in the sandbox of Conductor's own window, which is another browser engine than the tests' Chromium."""

from contextlib import closing

import pytest
from playwright.sync_api import Playwright
from tests.journeys.stage import build_time_limit_script
from tests.support.running import WITH_ABILITIES, running_conductor
from tests.support.xserver import XServer
from tests.window.rig import free_tcp_port, page_of, window_environment, window_pids

from conductor.cli.client import SocketClient

pytestmark = [pytest.mark.x11, pytest.mark.window, pytest.mark.timeout(300)]
ANSWER_WITHIN_S = 120.0
ENDLESS = "for (;;);"
RUNS = (
    ("javascript", "[typeof fetch, typeof pywebview, 6 * 7].join()", '"undefined,undefined,42"'),
    ("javascript", "parent.pywebview", None),
    ("python", "sum(range(10**6))", "499999500000"),
    ("python", "import js\njs.fetch('http://127.0.0.1:9/')", None),
    ("javascript", ENDLESS, None),
    ("javascript", "1 + 1", "2"),
)


def test_code_runs_in_the_window_and_stays_in_its_sandbox(
    playwright: Playwright, screen: XServer
) -> None:
    port = free_tcp_port()
    environment = window_environment(screen.display, port)
    with (
        running_conductor(WITH_ABILITIES, environment=environment, arguments=()) as conductor,
        closing(SocketClient(conductor.home / "mcp.sock", ANSWER_WITHIN_S)) as client,
    ):
        page = page_of(playwright, port)
        page.wait_for_selector("nav")
        before = window_pids(conductor)
        for language, code, result in RUNS:
            if code == ENDLESS:
                page.evaluate(build_time_limit_script(1_500))
            outcome = client.call_method("conductor_run_code", language=language, code=code)
            assert outcome["result"] == result, outcome
            page.evaluate("window.setTimeout = window.setTimeoutAsEver ?? setTimeout")
            assert (outcome["error"] is None) == (result is not None), outcome
        assert window_pids(conductor) == before
