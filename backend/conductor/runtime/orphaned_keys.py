"""Releases keys that an engine was holding down when it died."""

import sys
from collections.abc import Sequence
from pathlib import Path

from conductor.base.paths import PORTAL_TOKEN_FILE
from conductor.runtime.ledger import read_held_keys
from conductor.system.build import (
    PLATFORMS_WITHOUT_ROUTES,
    make_input_routes,
    make_keyboard,
    release_keys,
)


def import_release_modules() -> None:
    """Import the modules that release keys, before there are keys to release.

    The import takes 0.1 s, or more on a busy machine, during which a key would stay down.
    """
    if sys.platform in PLATFORMS_WITHOUT_ROUTES:
        make_keyboard()
    else:
        make_input_routes(Path(PORTAL_TOKEN_FILE))


def release_orphaned_keys(ledger: Path, last_reported: Sequence[str]) -> None:
    """Release the keys in the ledger and the keys that the engine last reported as held.

    The report is needed if the ledger was deleted together with the home folder.
    """
    keys = list(dict.fromkeys([*read_held_keys(ledger), *last_reported]))
    if keys:
        release_keys(keys, ledger.with_name(Path(PORTAL_TOKEN_FILE).name))
