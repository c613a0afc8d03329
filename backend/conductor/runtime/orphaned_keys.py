"""Releases keys that a dead engine was holding down."""

import sys
from collections.abc import Sequence
from pathlib import Path

from conductor.base.paths import PORTAL_TOKEN
from conductor.domain.keys import cmd_key
from conductor.runtime.ledger import read_held_keys
from conductor.system.build import (
    PYNPUT_PLATFORMS,
    make_input_routes,
    make_keyboard,
    release_keys,
)


def import_release_code() -> None:
    """Import the code that releases keys in advance.

    The import takes 0.1 s, or more on a busy machine, during which a key would stay down.
    """
    if sys.platform in PYNPUT_PLATFORMS:
        make_keyboard()
    else:
        make_input_routes("ctrl", Path(PORTAL_TOKEN))


def release_orphaned_keys(ledger: Path, last_reported: Sequence[str], setting: str) -> None:
    """Release the keys in the ledger and those that the engine last reported as held.

    If the home folder was deleted together with the ledger, the engine's last report is nearly as good.
    """
    keys = list(dict.fromkeys([*read_held_keys(ledger), *last_reported]))
    if keys:
        release_keys(keys, cmd_key(setting), ledger.with_name(Path(PORTAL_TOKEN).name))
