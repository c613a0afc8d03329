"""Fixtures with real parts for the tests of the OS boundary."""

from collections.abc import Generator

import pytest
from tests.support.xserver import KeyWindow, XServer, x_server


@pytest.fixture
def xserver(monkeypatch: pytest.MonkeyPatch) -> Generator[XServer]:
    with x_server() as server:
        monkeypatch.setenv("DISPLAY", server.display)
        yield server


@pytest.fixture
def window(xserver: XServer) -> Generator[KeyWindow]:
    with KeyWindow(xserver.display) as window:
        yield window
