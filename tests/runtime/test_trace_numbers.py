"""The numbers of traces grow over restarts of the engine, so that no reader confuses the traces of two engines."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.support.page import CommandFailed, Page
from tests.support.running import mapped, running_conductor

from conductor.domain.engine_protocol import ActionFailure, NumberTraces, TracesNumbered
from conductor.domain.wire_rows import FailureRow
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.notices import Notices
from conductor.runtime.supervisor import EngineSupervisor

WITHOUT_OUTPUTS = {"DISPLAY": "", "JACK_DEFAULT_SERVER": "none"}
PRESS_A = ("{ type = 'Note', note = 36 }", "{ type = 'Keystroke', keys = ['a'] }")
FAILURE: FailureRow = {
    "mapping": "a",
    "scope": "global",
    "index": 0,
    "trigger": {},
    "action": {},
    "reason": "no display",
    "sequence": 9,
    "time": 0.0,
}


def test_a_new_engine_starts_after_the_highest_number_that_the_app_has_received(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sent: list[object] = []

    def send(_: EngineSupervisor, message: object) -> None:
        sent.append(message)

    monkeypatch.setattr(EngineSupervisor, "send", send)
    published: list[object] = []
    engine = EngineConnection(
        tmp_path,
        tmp_path / "config.toml",
        lambda _topic, payload: published.append(payload),
        Notices(lambda _topic, _payload: None),
    )
    private: Any = engine
    for message in (TracesNumbered(7), ActionFailure(FAILURE), TracesNumbered(3)):
        private._on_message(message)
    private._on_engine_start()
    assert sent[0] == NumberTraces(9)
    assert published == [FAILURE]


def test_a_killed_engine_is_followed_by_one_whose_traces_and_failures_have_higher_numbers():
    with (
        running_conductor(
            mapped(PRESS_A), environment=WITHOUT_OUTPUTS, with_page=True
        ) as conductor,
        Page(conductor.address()) as page,
    ):
        page.call("monitor.watch", on=True)
        first = play_pad(page)
        assert page.call("monitor.explain", sequence=first)["trace"]["sequence"] == first
        page.call("virtual.play", do="release", control="pad1", value=0)
        last = max(row["sequence"] for row in page.call("monitor.recent")["traces"])
        killed = conductor.engine_pid
        os.kill(killed, signal.SIGKILL)
        conductor.wait_status(lambda s: s["config"]["active"] and s["engine"]["pid"] != killed)
        page.news.clear()

        second = play_pad(page)

        assert second > last >= first
        recent = page.call("monitor.recent")
        assert all(row["sequence"] > last for row in recent["traces"])
        assert [row["sequence"] for row in recent["failures"]] == [second]
        with pytest.raises(CommandFailed, match="not in the history"):
            page.call("monitor.explain", sequence=first)


def play_pad(page: Page) -> int:
    """Press the mapped pad, whose action fails. Return the number of its trace and of its failure."""
    page.call("virtual.play", do="press", control="pad1", value=100)
    trace = page.wait_news("trace", lambda trace: trace["event"]["kind"] == "note_on")
    failure = page.wait_news("failure")
    assert failure["sequence"] == trace["sequence"]
    return trace["sequence"]
