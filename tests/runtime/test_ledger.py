"""The ledger of held keys: read after a crash, counted by holders, and blind to what is typed."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.simulate import RecordingKeyboard

from conductor.errors import ActionFailed
from conductor.runtime.ledger import HeldKeysLedger, LedgerKeyboard, read_held_keys


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "held-keys"


def keyboard(path: Path) -> tuple[LedgerKeyboard, list[str]]:
    said: list[str] = []
    return LedgerKeyboard(RecordingKeyboard(said), HeldKeysLedger(path)), said


def test_keys_that_are_down_are_in_the_ledger_until_they_go_up(path: Path):
    keys, said = keyboard(path)
    keys.press_keys(["cmd", "c"])
    assert read_held_keys(path) == ["cmd", "c"]
    keys.release_keys(["cmd", "c"])
    assert read_held_keys(path) == []
    assert said == ["press cmd+c", "release cmd+c"]


class Watching(RecordingKeyboard):
    """Looks at the ledger while a key goes down."""

    def __init__(self, path: Path) -> None:
        super().__init__([])
        self._path = path

    def press_keys(self, keys: Sequence[str]) -> None:
        self.said += read_held_keys(self._path)


def test_a_key_is_in_the_ledger_before_it_goes_down(path: Path):
    watching = Watching(path)
    LedgerKeyboard(watching, HeldKeysLedger(path)).press_keys(["shift"])
    assert watching.said == ["shift"]


CRASH = """
import os, signal, sys
from pathlib import Path
from conductor.runtime.ledger import HeldKeysLedger
HeldKeysLedger(Path(sys.argv[1])).write_keys(["shift", "é", "a"])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
def test_the_ledger_of_a_process_that_was_killed_can_be_read(path: Path):
    done = subprocess.run([sys.executable, "-c", CRASH, str(path)], timeout=30)
    assert done.returncode == -9
    assert read_held_keys(path) == ["shift", "é", "a"]


def test_a_new_engine_starts_with_an_empty_ledger(path: Path):
    HeldKeysLedger(path).write_keys(["shift"])
    HeldKeysLedger(path)
    assert read_held_keys(path) == []


def test_the_ledger_is_the_owner_s_alone(path: Path):
    HeldKeysLedger(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"\x00", b"\x01" * 40, b"\xff" * 5000, b"nonsense" * 600])
def test_a_damaged_ledger_holds_nothing(path: Path, content: bytes):
    path.parent.mkdir()
    path.write_bytes(content)
    assert read_held_keys(path) == []


def test_without_a_ledger_nothing_is_held(path: Path):
    assert read_held_keys(path) == []


def test_a_half_written_slot_leaves_the_other_readable(path: Path):
    ledger = HeldKeysLedger(path)
    ledger.write_keys(["shift"])
    ledger.write_keys(["shift", "a"])
    before = path.read_bytes()
    ledger.write_keys(["b"])
    torn = bytearray(path.read_bytes())
    torn[0] = before[0]  # killed before the byte that makes the new slot count
    path.write_bytes(torn)
    assert read_held_keys(path) == ["shift", "a"]


def test_a_key_that_two_hold_goes_up_with_the_last(path: Path):
    keys, said = keyboard(path)
    keys.press_keys(["shift"])
    keys.press_keys(["shift", "a"])
    keys.release_keys(["shift"])
    assert read_held_keys(path) == ["shift", "a"]
    keys.release_keys(["shift", "a"])
    assert read_held_keys(path) == []
    assert said == ["press shift", "press a", "release ", "release shift+a"]


def test_a_key_that_nobody_holds_is_not_released(path: Path):
    keys, said = keyboard(path)
    keys.release_keys(["shift"])
    assert said == ["release "]
    keys.press_keys(["shift"])
    assert keys.list_held_keys() == ["shift"]


def test_everything_goes_up_at_once_whoever_holds_it(path: Path):
    keys, said = keyboard(path)
    keys.press_keys(["shift"])
    keys.press_keys(["shift"])
    keys.press_keys(["a"])
    keys.release_all_keys()
    assert (said[-1], keys.list_held_keys(), read_held_keys(path)) == ("release shift+a", [], [])


def test_text_is_never_in_the_ledger(path: Path):
    keys, said = keyboard(path)
    keys.type_text("my password")
    assert said == ["text 'my password'"]
    assert b"password" not in path.read_bytes()


class Stuck(RecordingKeyboard):
    """A keyboard that cannot press."""

    def press_keys(self, keys: Sequence[str]) -> None:
        raise ActionFailed("no display")


def test_a_failed_press_holds_nothing_and_its_keys_are_released(path: Path):
    stuck = Stuck([])
    keys = LedgerKeyboard(stuck, HeldKeysLedger(path))
    with pytest.raises(ActionFailed, match="no display"):
        keys.press_keys(["cmd", "c"])
    assert (stuck.said, keys.list_held_keys(), read_held_keys(path)) == (["release cmd+c"], [], [])


def test_cmd_is_the_configured_key_and_counted_with_it(path: Path):
    keys, said = keyboard(path)
    keys.use_cmd_key("ctrl")
    keys.press_keys(["cmd", "c"])
    assert read_held_keys(path) == ["ctrl", "c"]
    keys.press_keys(["ctrl", "cmd"])
    keys.release_keys(["cmd", "c"])
    keys.release_keys(["ctrl", "cmd"])
    assert said == ["release ", "press ctrl+c", "press ", "release c", "release ctrl"]


def test_another_cmd_key_releases_what_is_held_and_an_equal_one_nothing(path: Path):
    keys, said = keyboard(path)
    keys.use_cmd_key("ctrl")
    keys.press_keys(["cmd", "c"])
    keys.use_cmd_key("ctrl")
    assert said[1:] == ["press ctrl+c"]
    keys.use_cmd_key("super")
    keys.release_keys(["cmd", "c"])
    keys.press_keys(["cmd"])
    assert said[2:] == ["release ctrl+c", "release ", "press super"]


def test_where_no_file_can_be_keys_work_all_the_same(tmp_path: Path):
    (tmp_path / "run").write_text("a file where the folder should be")
    keys, said = keyboard(tmp_path / "run" / "held-keys")
    keys.press_keys(["a"])
    keys.release_keys(["a"])
    assert said == ["press a", "release a"]
