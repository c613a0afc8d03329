"""The demo with an open page."""

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conductor.app.build import App
from conductor.cli import demo


@pytest.mark.parametrize("stays", [True, False])
def test_the_demo_keeps_running_for_its_page(
    stays: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "build_demo_script", list)
    loaded = threading.Event()
    loaded.set()
    app: Any = SimpleNamespace(
        home=Path("/home"),
        watch_events=print,
        engine=SimpleNamespace(loaded=loaded),
    )

    async def play() -> bool:
        stop, serving = asyncio.Event(), asyncio.create_task(asyncio.Event().wait())
        await demo.play_demo(cast(App, app), stop, cast(Any, serving), stays=stays)
        serving.cancel()
        return stop.is_set()

    assert asyncio.run(play()) is not stays
    assert ("Ctrl+C" in capsys.readouterr().out) is stays
