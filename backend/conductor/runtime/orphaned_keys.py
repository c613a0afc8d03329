"""What an engine that died has left behind: keys that are still down."""

from collections.abc import Sequence
from pathlib import Path

from conductor.domain.keys import cmd_key
from conductor.runtime.ledger import held_keys
from conductor.system.build import make_keyboard


def prepare() -> None:
    """Import what letting go needs: a tenth of a second, or more on a busy machine, while a key is held."""
    make_keyboard()


def release_orphaned_keys(ledger: Path, told: Sequence[str], setting: str) -> None:
    """Release the keys in the ledger and those that the engine last reported as held.

    The ledger goes with a home folder that is deleted; the last beat knows nearly as much.
    """
    keys = list(dict.fromkeys([*held_keys(ledger), *told]))
    if keys:
        make_keyboard(cmd_key(setting)).release(keys)
