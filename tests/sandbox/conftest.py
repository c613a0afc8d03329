"""The browser of the journeys, and a Conductor without a screen and MIDI, which code in the sandbox does not need.

It is played beside the journeys, since it waits for time limits most of the time.
"""

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser
from tests.journeys.conftest import browser
from tests.journeys.stage import Stage
from tests.support.running import WITH_ABILITIES, running_conductor

__all__ = ["browser", "stage"]

CONFIG = f"""
[[modes]]
name = "Default"
{WITH_ABILITIES}"""


@pytest.fixture(scope="package")
def stage(browser: Browser) -> Generator[Stage]:
    with running_conductor(
        CONFIG, environment={"DISPLAY": "", "JACK_DEFAULT_SERVER": "none"}, with_page=True
    ) as conductor:
        yield Stage(browser, conductor)
