"""How the engine process loads the configs that the app sends."""

from collections.abc import Callable
from typing import Any, cast
from unittest.mock import MagicMock

import pytest

from conductor.domain.config import Config, Mode
from conductor.domain.engine_protocol import ConfigComplete
from conductor.domain.settings import Settings, UiSettings
from conductor.domain.trace import Trace
from conductor.engine.state import EngineState
from conductor.engine.table import compile_table
from conductor.runtime import config_loader
from conductor.runtime import host as host_module
from conductor.runtime.host import EngineHost

EMPTY = Config()
LIVE = Config(modes=(*EMPTY.modes, Mode(name="Live")))
LIVE_DARK = LIVE.model_copy(update={"settings": Settings(ui=UiSettings(theme="dark"))})


class Host:
    """A host whose engine does what it is asked when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compiled = 0
        self.calls: list[Callable[[EngineState], Trace | None]] = []
        self.state = EngineState(compile_table(EMPTY), lambda _: (0, 0))
        self.link, self.engine = MagicMock(), MagicMock()
        self.engine.call_in_engine_thread = self.calls.append
        monkeypatch.setattr(config_loader, "compile_table", self._compile)
        monkeypatch.setattr(host_module, "gc", MagicMock())
        parts = [MagicMock() for _ in range(7)]
        self.host = EngineHost(self.link, *cast(Any, parts), stop=MagicMock())
        self.host.set_engine(self.engine)
        self.token = 0

    def send(self, config: Config) -> None:
        self.token += 1
        take = MagicMock(return_value=config)
        cast(Any, self.host)._assembler = MagicMock(add_message=take)
        piece = ConfigComplete(self.token, str(self.token))
        cast(Any, self.host)._add_config_piece(piece)

    def run_engine(self) -> None:
        for call in self.calls:
            call(self.state)
        self.calls.clear()

    def answers(self) -> list[tuple[str, int]]:
        sent = self.link.send.call_args_list
        return [(one.args[0], one.kwargs["token"]) for one in sent if "token" in one.kwargs]

    def modes(self) -> list[str]:
        return [mode.name for mode in self.state.table.config.modes]

    def _compile(self, config: Config) -> Any:
        self.compiled += 1
        return compile_table(config)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(monkeypatch)


def fail_once(monkeypatch: pytest.MonkeyPatch, host: Host) -> None:
    """Run what waits for the engine, with a load that fails."""

    def fail(*_: object) -> None:
        raise RuntimeError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(config_loader.step, "load_table", fail)
        host.run_engine()


def test_a_config_that_plays_the_same_is_not_compiled_again(host: Host):
    for config in (LIVE, LIVE_DARK):
        host.send(config)
        host.run_engine()
    assert host.compiled == 1
    assert host.answers() == [("loaded", 1), ("loaded", 2)]


def test_a_load_that_fails_is_reported(host: Host, monkeypatch: pytest.MonkeyPatch):
    host.send(LIVE)
    fail_once(monkeypatch, host)
    assert host.answers() == [("load_failed", 1)]


def test_a_config_whose_load_failed_is_loaded_when_it_is_sent_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
):
    host.send(EMPTY)
    host.run_engine()
    host.send(LIVE)
    fail_once(monkeypatch, host)
    host.send(LIVE)
    host.run_engine()
    assert "Live" in host.modes()


def test_the_config_before_is_loaded_again_after_a_load_that_failed(
    host: Host, monkeypatch: pytest.MonkeyPatch
):
    host.send(EMPTY)
    host.run_engine()
    host.send(LIVE)
    fail_once(monkeypatch, host)
    host.send(EMPTY)
    host.run_engine()
    assert host.compiled == 3


def test_the_last_of_configs_that_wait_for_the_engine_is_the_one_that_runs(host: Host):
    host.send(EMPTY)
    host.run_engine()
    for config in (LIVE, EMPTY):
        host.send(config)
    host.run_engine()
    assert "Live" not in host.modes()
    assert host.answers()[-2:] == [("loaded", 2), ("loaded", 3)]


def test_the_status_says_why_an_input_route_is_not_used(host: Host):
    engine_host = cast(Any, host.host)
    engine_host._outputs.input_problem = None
    assert engine_host._build_status()["problems"] == []
    engine_host._outputs.input_problem = "RemoteDesktop portal: it failed"
    assert engine_host._build_status()["problems"] == ["RemoteDesktop portal: it failed"]
