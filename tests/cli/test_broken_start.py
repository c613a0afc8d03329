"""A start with a broken config file: what is wrong is said once, and what runs instead."""

import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.running import conductor_environment, short_home

from conductor.cli.run import LoadPrinter
from conductor.storage.records import Records

GOOD = """[[modes]]
name = "Default"
[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Text", text = "a" }
"""
BROKEN = GOOD.replace("note = 36", "note = 360")
WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": "", "PULSE_SERVER": "unix:/nowhere"}
LIMIT_S = 30


class Run:
    """`conductor run` in a terminal that nobody watches."""

    def __init__(self, home: Path) -> None:
        self.config = home / "config.toml"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "conductor", "run", "--headless"],
            env=conductor_environment(home, WITHOUT_PARTS),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line_with(self, words: str) -> str:
        """Read on until a line has these words; the end of the process ends the wait."""
        assert self.process.stdout is not None
        return next(line for line in self.process.stdout if words in line)

    def stop(self) -> str:
        """End it, and give what it wrote to standard error."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=LIMIT_S)[1]


@pytest.fixture
def run() -> Generator[Callable[[Path], Run]]:
    begun: list[Run] = []

    def begin(home: Path) -> Run:
        begun.append(Run(home))
        return begun[-1]

    yield begin
    for one in begun:
        with one.process:
            one.process.kill()


@pytest.fixture
def home() -> Generator[Path]:
    with short_home() as folder:
        yield folder


def test_without_a_good_version_an_empty_set_up_runs(home: Path, run: Callable[[Path], Run]):
    (home / "config.toml").write_text(BROKEN)
    started = run(home)
    assert "an empty config (0 mappings) until you fix" in started.line_with("Running ")
    told = started.stop()
    assert told.count("must be at most 127") == 1
    assert "an empty config runs instead: line 4: " in told


def test_a_reload_says_that_it_is_one_and_how_many_mappings_run(
    capsys: pytest.CaptureFixture[str],
):
    printer = LoadPrinter(is_running=False)
    for mappings in (0, 1, 2):
        printer.on_load({"token": 1, "mappings": mappings, "mode": "Default"})
    assert capsys.readouterr().out.splitlines() == [
        "loaded: 0 mappings",
        "reloaded: 1 mapping",
        "reloaded: 2 mappings",
    ]


def test_the_last_good_version_is_used_instead(home: Path, run: Callable[[Path], Run]):
    records = Records(home / "conductor.db")
    records.open_history().add(GOOD, "sha256:0", "start")
    records.close()
    (home / "config.toml").write_text(BROKEN)
    started = run(home)
    assert "the last good config (1 mapping) until" in started.line_with("Running ")
    assert "the last good config runs instead: line 4: " in started.stop()
