"""One Conductor per home; a second start rings at the first."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from conductor.base.single_instance import BELL, Bell, InstanceLock, page_address, ring
from conductor.errors import AlreadyRunning, NotAvailable


def test_only_one_holds_the_lock_until_it_lets_go(tmp_path: Path):
    first = InstanceLock(tmp_path)
    with pytest.raises(AlreadyRunning, match=str(os.getpid())):
        InstanceLock(tmp_path)
    first.release()
    InstanceLock(tmp_path).release()


def test_a_ring_brings_the_session_and_takes_the_answer_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.setenv("LD_PRELOAD_OF_MINE", "x")
    rung: list[Mapping[str, str]] = []
    bell = Bell(tmp_path, rung.append)
    try:
        assert ring(tmp_path) is None
        assert rung[0]["DISPLAY"] == ":7"
        assert "LD_PRELOAD_OF_MINE" not in rung[0]
    finally:
        bell.close()


def test_why_no_window_comes_is_given_to_who_rang(tmp_path: Path):
    bell = Bell(tmp_path, lambda _session: "there is no display")
    try:
        assert ring(tmp_path) == "there is no display"
        assert (tmp_path / BELL).stat().st_mode & 0o777 == 0o600
    finally:
        bell.close()


def test_who_wants_the_page_is_given_an_address_and_no_window_is_shown(tmp_path: Path):
    rung: list[Mapping[str, str]] = []
    answers = [{"address": "http://127.0.0.1:1/#t=a"}, {"reason": "the port is taken"}]
    bell = Bell(tmp_path, rung.append, lambda: answers.pop(0))
    try:
        assert page_address(tmp_path) == "http://127.0.0.1:1/#t=a"
        with pytest.raises(NotAvailable, match="the port is taken"):
            page_address(tmp_path)
        assert rung == []
    finally:
        bell.close()
    with pytest.raises(AlreadyRunning, match="does not give an address"):
        page_address(tmp_path)


def test_who_does_not_know_the_token_is_not_heard(tmp_path: Path):
    rung = threading.Event()
    bell = Bell(tmp_path, lambda _session: rung.set())
    place = tmp_path / BELL
    told = place.read_text()
    try:
        place.write_text(told.replace('"token": "', '"token": "0'))
        with pytest.raises(AlreadyRunning):
            ring(tmp_path)
        assert not rung.is_set()
        place.write_text(told)
        assert ring(tmp_path) is None
    finally:
        bell.close()


def test_a_bell_that_nobody_answers_is_told(tmp_path: Path):
    Bell(tmp_path, lambda _session: None).close()
    with pytest.raises(AlreadyRunning, match="conductor status"):
        ring(tmp_path)


def test_a_home_where_no_file_can_be_is_told_with_the_way_out(tmp_path: Path):
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(NotAvailable, match="set CONDUCTOR_HOME to another"):
        InstanceLock(tmp_path / "home")


FULL = """
import logging, resource, sys
from pathlib import Path
from conductor.base.single_instance import Bell
logging.basicConfig()
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
Bell(Path(sys.argv[1]), lambda _session: None).close()
"""


def test_a_bell_that_cannot_be_written_is_told_and_hinders_nothing(tmp_path: Path):
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 0, ended.stderr
    assert f"{tmp_path}/run/bell cannot be written" in ended.stderr
    assert "make room" in ended.stderr
