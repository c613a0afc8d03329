"""One driver of Playwright for the whole folder: each is a Node process."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Playwright, sync_playwright


@pytest.fixture(scope="session")
def playwright() -> Generator[Playwright]:
    with sync_playwright() as running:
        yield running
