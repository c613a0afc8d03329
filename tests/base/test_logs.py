"""Logs: which entries go to the files in the home folder, and which secrets never do."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductor.base.logs import log_to_file


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield root
    for handler in [one for one in root.handlers if one not in before]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


def test_a_process_logs_to_a_file_of_its_own_from_its_own_level_on(
    root: logging.Logger, tmp_path: Path
):
    log_to_file(tmp_path / "logs", "engine.log", logging.WARNING)
    root.info("nothing special")
    root.warning("a port failed")
    lines = (tmp_path / "logs" / "engine.log").read_text().splitlines()
    assert [line.partition("WARNING")[2] for line in lines] == [" root: a port failed"]


def test_a_secret_is_kept_out_of_the_message_and_of_the_traceback(
    root: logging.Logger, tmp_path: Path
):
    log_to_file(tmp_path)
    root.error("with Bearer %s", "abc.defghij", exc_info=ValueError("refused sk-abcdefgh12345678"))
    text = (tmp_path / "conductor.log").read_text()
    assert "ValueError: refused [hidden]" in text
    assert "with [hidden]" in text
    assert "abc" not in text


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-abcdefgh12",
        "ghp_" + "a1" * 12,
        "AKIA" + "B2" * 8,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    ],
)
def test_every_kind_of_key_is_kept_out_of_a_log(secret: str, root: logging.Logger, tmp_path: Path):
    log_to_file(tmp_path)
    root.error("the server refused %s", secret)
    text = (tmp_path / "conductor.log").read_text()
    assert "refused [hidden]" in text
    assert secret not in text


def test_a_folder_that_cannot_be_made_costs_the_file_and_nothing_else(
    root: logging.Logger, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "logs").write_text("a file where the folder should be")
    log_to_file(tmp_path / "logs")
    root.warning("a port failed")
    assert "Traceback" not in capsys.readouterr().err


def test_a_folder_that_is_deleted_loses_entries_without_a_traceback(
    root: logging.Logger, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    log_to_file(tmp_path / "logs")
    (tmp_path / "logs").rmdir()
    root.warning("a port failed")
    assert "Traceback" not in capsys.readouterr().err
