"""Conductor with its window on a screen, and its page in a browser: started, timed, and handed to Playwright."""

import contextlib
import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Page, Playwright
from tests.bench.configs import config_text
from tests.bench.processes import family
from tests.bench.programs import CONDUCTOR_IN, CONDUCTOR_OUT, Program, Running, running
from tests.bench.rig import HERE, ROOT, Server, Unmeasured, finish_meter, start_meter
from tests.journeys.conftest import OPTIONS
from tests.support.chromium import find_chromium
from tests.support.processes import alive
from tests.support.running import running_conductor, wait_for
from tests.window.rig import free_tcp_port, page_of, window_environment

METER = (HERE / "page_meter.js").read_text()
ROUTE: Mapping[str, object] = {"to": CONDUCTOR_IN, "from": CONDUCTOR_OUT}
STARTS_WITHIN_S = 40.0
BRIDGE_IS_THERE = "!!(window.pywebview?._jsApiCallback && window.__conductor_push)"
PAINTED = "first-contentful-paint"


class Build(NamedTuple):
    """One way in which Conductor is started."""

    name: str
    command: tuple[str, ...]

    def is_built(self) -> bool:
        return Path(self.command[0]).is_file()


SOURCE = Build("from source", (sys.executable, "-m", "conductor"))
ONE_FILE = Build("one file", (str(ROOT / "dist" / "conductor"),))
ONE_FOLDER = Build("one folder", (str(ROOT / "dist" / "conductor-folder" / "conductor"),))


class Start(NamedTuple):
    """Times from starting the process."""

    paint_ms: float
    """The first pixels that are not the background's."""
    content_ms: float
    """The first words or drawings."""
    event_ms: float
    """The first note that is answered with its CC."""


class Shown(NamedTuple):
    """A Conductor whose window shows its page."""

    it: Running
    page: Page
    start: Start


@contextlib.contextmanager
def shown(build: Build, server: Server, display: str, playwright: Playwright) -> Generator[Shown]:
    """Start it as a double click does. Nobody looks at the page before the first note is answered."""
    port = free_tcp_port()
    environment = window_environment(display, port)
    program = Program(build.name, build.command, CONDUCTOR_IN, CONDUCTOR_OUT)
    program = program._replace(environment=environment, how_to_stop=signal.SIGINT)
    meter = start_meter(
        server, "stream", {**ROUTE, "count": 1, "warm-up": 0, "wait": STARTS_WITHIN_S}
    )
    began_ns, began_ms = time.monotonic_ns(), time.time() * 1000
    started: set[int] = set()
    try:
        with running(program, server) as it:
            assert it is not None
            heard = finish_meter(meter, STARTS_WITHIN_S, it.process)
            _wait_for_page(port)
            page = page_of(playwright, port)
            wait_for(lambda: page.evaluate(BRIDGE_IS_THERE), bool)
            page.evaluate(METER)
            paints = _paints(page)
            origin_ms = paints["origin"] - began_ms
            start = Start(
                origin_ms + paints["first-paint"],
                origin_ms + paints[PAINTED],
                (heard.first_answer_ns - began_ns) / 1e6,
            )
            started.update(family(it.process.pid))
            yield Shown(it, page, start)
            connection = page.context.browser
            assert connection is not None
            connection.close()
    finally:
        for pid in alive(started):
            os.kill(pid, signal.SIGKILL)


def _wait_for_page(port: int) -> None:
    """Wait until the page's script runs, which takes the key out of its address.

    Playwright would attach to a page that loads, which slows it down and may hang both.
    """

    def runs() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=3) as told:
                addresses = [one["url"] for one in json.load(told) if one["type"] == "page"]
        except OSError:
            return False
        return any(at.startswith("http://127.0.0.1:") and "#" not in at for at in addresses)

    try:
        wait_for(runs, bool, STARTS_WITHIN_S)
    except TimeoutError:
        raise Unmeasured(f"the page did not run within {STARTS_WITHIN_S:.0f} s") from None


def _paints(page: Page) -> dict[str, Any]:
    try:
        return wait_for(lambda: page.evaluate("bench.paints()"), lambda seen: PAINTED in seen)
    except TimeoutError as problem:
        raise Unmeasured(f"the page was not painted: {problem}") from None


@contextlib.contextmanager
def browsed(server: Server, playwright: Playwright) -> Generator[Page]:
    """Open the page in Debian's Chromium, over the WebSocket of a Conductor without a window."""
    environment = server.environment
    text = config_text(128)
    with (
        running_conductor(
            text, environment=environment, with_page=True, own_process=True
        ) as conductor,
        playwright.chromium.launch(executable_path=find_chromium(), args=OPTIONS) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(METER)
        page.goto(conductor.address(), wait_until="commit")
        _paints(page)
        yield page
