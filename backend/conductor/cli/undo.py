"""`conductor undo`, `redo` and `history`: the versions of config.toml.

They work on the file and its history directly; a running Conductor takes the change over like any
edit.
"""

import argparse
import json
from functools import partial

from conductor.base.paths import home
from conductor.config.store import ConfigStore
from conductor.storage.history import open_history


def run(args: argparse.Namespace) -> int:
    """Undo, redo or list."""
    if args.command == "history":
        return _list(args)
    folder = home()
    history = partial(open_history, folder / "conductor.db")
    store = ConfigStore(folder / "config.toml", history=history)
    store.load()
    store.undo() if args.command == "undo" else store.redo()
    print(f"{'undone' if args.command == 'undo' else 'redone'}: {store.path} is {store.hash[:19]}")
    return 0


def _list(args: argparse.Namespace) -> int:
    history = open_history(home() / "conductor.db")
    versions = history.list(limit=args.limit)
    if args.json:
        print(json.dumps([version.plain() for version in versions]))
        return 0
    for version in versions:
        mark = "*" if version.current else " "
        print(f"{mark} {version.id:>5}  {version.at:%Y-%m-%d %H:%M:%S}  {version.reason}")
    if not versions:
        print("No version is kept yet: they are from the first `conductor run` on.")
    return 0
