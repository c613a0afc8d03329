"""A Conductor with an open page, for all tests of a module."""

from collections.abc import Generator

import pytest
from tests.support.page import Page, running_page
from tests.support.running import RunningConductor

CONFIG = """# mine
[[modes]]
name = "Default"

[[modes.mappings]]
description = "go"
trigger = { type = "Note", note = 36 }
action = { type = "ModeChange", mode = "Two" }

[[modes]]
name = "Two"

[[modes.mappings]]
trigger = { type = "LongPress", note = 36, duration_ms = 500 }
action = { type = "ModeChange", mode = "Default" }
"""


@pytest.fixture(scope="module")
def running() -> Generator[tuple[RunningConductor, Page]]:
    with running_page(CONFIG) as both:
        yield both


@pytest.fixture
def conductor(running: tuple[RunningConductor, Page]) -> RunningConductor:
    """Return the Conductor, with the config it began with."""
    conductor, page = running
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)
    page.call("engine.pause", paused=False)
    page.call("modes.switch", mode="Default")
    page.wait_status(mode="Default", paused=False)
    return conductor


@pytest.fixture
def page(running: tuple[RunningConductor, Page], conductor: RunningConductor) -> Page:
    _, page = running
    page.news.clear()
    return page


def find_plan_position(page: Page, plan_id: str) -> tuple[str | None, str | None]:
    """Return whether the changes of a plan are in force, and the step that would revert or repeat them."""
    view = page.call("plans.get", plan_id=plan_id)
    return view["standing"], view["way"]
