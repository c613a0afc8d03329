"""One driver of Playwright for the whole folder: each is a Node process."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Playwright, expect, sync_playwright

LOOK_FOR_MS = 60_000
"""How long a test looks for a change of the page, also on a busy machine."""


@pytest.fixture(scope="session")
def playwright() -> Generator[Playwright]:
    expect.set_options(timeout=LOOK_FOR_MS)
    with sync_playwright() as running:
        yield running
