"""Records held keys in a file, the ledger, before they are pressed, so that the app can release
the keys of a dead engine.

The ledger is a small memory-mapped file, so a write takes microseconds and survives `kill -9`. Two slots are
written alternately, so a reader never sees a partly written slot.
"""

import json
import logging
import mmap
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from conductor.domain.ports import Keyboard
from conductor.errors import ActionFailed

log = logging.getLogger(__name__)

LEDGER_SLOT_BYTES = 2048
LEDGER_BYTES = 1 + 2 * LEDGER_SLOT_BYTES
MAX_RECORDED_KEYS = 64
"""The maximum number of recorded keys. Two hands cannot hold more, and a slot of the file has room for them."""


class HeldKeysLedger:
    """Records in a file which keys are held down; without a file, only in memory."""

    def __init__(self, path: Path) -> None:
        try:
            self._map = _map_ledger_file(path)
        except OSError as error:
            log.warning("keys held during a crash may stay down: %s", error)
            self._map = mmap.mmap(-1, LEDGER_BYTES)
        self._slot = 0

    def write_keys(self, keys: Sequence[str]) -> None:
        """Replace the recorded keys by the keys that are held down now."""
        data = json.dumps(list(keys)[:MAX_RECORDED_KEYS]).encode()
        self._slot = 1 - self._slot
        start = 1 + self._slot * LEDGER_SLOT_BYTES
        self._map[start : start + 2] = len(data).to_bytes(2, "little")
        self._map[start + 2 : start + 2 + len(data)] = data
        self._map[0] = self._slot

    def close(self) -> None:
        self._map.close()


def _map_ledger_file(path: Path) -> mmap.mmap:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(bytes(LEDGER_BYTES))
    path.chmod(0o600)
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), LEDGER_BYTES)


def read_held_keys(path: Path) -> list[str]:
    """Return the keys that a dead engine was holding; the list is empty if the ledger cannot be read."""
    try:
        data = path.read_bytes()
        start = 1 + data[0] * LEDGER_SLOT_BYTES
        length = int.from_bytes(data[start : start + 2], "little")
        keys = json.loads(data[start + 2 : start + 2 + length]) if length else []
    except (OSError, ValueError, IndexError):
        return []
    return [key for key in keys if isinstance(key, str)]


class LedgerKeyboard:
    """A keyboard that counts how many actions hold each key, and releases a key when the last of them ends.

    `cmd` is replaced by the key that it stands for before counting, so that actions with `cmd` and with
    `ctrl` can hold the same key.
    """

    def __init__(
        self, keyboard: Keyboard, ledger: HeldKeysLedger | None, cmd_key: str = "cmd"
    ) -> None:
        self._keyboard = keyboard
        self._ledger = ledger
        self._cmd_key = cmd_key
        self._down: Counter[str] = Counter()
        self._lock = threading.Lock()

    def press_keys(self, keys: Sequence[str]) -> None:
        with self._lock:
            keys = self._resolve_keys(keys)
            new = [key for key in keys if not self._down[key]]
            self._down.update(keys)
            self._write_held_keys()
            try:
                self._keyboard.press_keys(new)
            except BaseException:
                self._down.subtract(keys)
                self._release_keys(new)
                raise

    def release_keys(self, keys: Sequence[str]) -> None:
        with self._lock:
            keys = self._resolve_keys(keys)
            known = [key for key in keys if self._down[key]]
            self._down.subtract(known)
            self._keyboard.release_keys([key for key in known if not self._down[key]])
            self._write_held_keys()

    def type_text(self, text: str) -> None:
        self._keyboard.type_text(text)

    def list_held_keys(self) -> list[str]:
        """Return the names of the keys that are held down now."""
        return [key for key, count in self._down.items() if count > 0]

    def release_all_keys(self) -> None:
        """Release every held key, no matter how many actions hold it."""
        with self._lock:
            self._release_held_keys()

    def use_cmd_key(self, key: str) -> None:
        """Set the key that `cmd` stands for. If it is another key than before, release all held keys first."""
        with self._lock:
            if key != self._cmd_key:
                self._release_held_keys()  # a later release of `cmd` would release the new key
                self._cmd_key = key

    def _resolve_keys(self, keys: Sequence[str]) -> list[str]:
        """Return the keys without duplicates, and with `cmd` replaced by the key that it stands for."""
        return list(dict.fromkeys(self._cmd_key if key == "cmd" else key for key in keys))

    def _release_held_keys(self) -> None:
        keys = self.list_held_keys()
        self._down.clear()
        self._release_keys(keys)

    def _release_keys(self, keys: Sequence[str]) -> None:
        try:
            self._keyboard.release_keys(keys)
        except ActionFailed:
            pass
        self._write_held_keys()

    def _write_held_keys(self) -> None:
        self._down = +self._down
        if self._ledger is not None:
            self._ledger.write_keys(self.list_held_keys())
