"""`conductor undo`, `redo` and `history`: move between versions of config.toml, or list them.

They work on the file and its history directly; a running Conductor reloads the file as after any edit.
"""

import argparse
import json
from functools import partial

from conductor.base.paths import home
from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import open_history
from conductor.tools.kept_examples import describe_break, find_breaks, rename_in_examples


def run(args: argparse.Namespace) -> int:
    """Undo or redo a change, or list the versions."""
    if args.command == "history":
        return _list_versions(args)
    folder = home()
    history = partial(open_history, folder / "conductor.db")
    store = ConfigStore(folder / "config.toml", history=history)
    before = store.load()
    broken = bool(store.problems)
    store.undo() if args.command == "undo" else store.redo()
    count = sum(1 for _ in store.current.all_mappings())
    mappings = f"{count} mapping{'' if count == 1 else 's'}"
    if broken and args.command == "undo":
        print(f"The invalid text was saved as {store.path}.broken.")
    version = next((v for v in history().list(limit=1000) if v.current), None)
    which = f" version {version.id} of {version.at:%Y-%m-%d %H:%M}" if version else ""
    print(f"{'back' if args.command == 'undo' else 'forward'} to{which}, {mappings}")
    for text in _find_broken_examples(before, store, args.command):
        print(text)
    return 0


def _find_broken_examples(before: Config, store: ConfigStore, reason: str) -> list[str]:
    """Play the saved examples through the current config; return a line for each example that broke."""
    database = Database(home() / "conductor.db")
    examples = Examples(database)
    rename_in_examples(before, store.current, examples)
    _, broken = find_breaks(before, store.current, examples.all())
    examples.record_breaks(store.hash, broken)
    database.close()
    return [describe_break(example, reason) for example in broken]


def _list_versions(args: argparse.Namespace) -> int:
    history = open_history(home() / "conductor.db")
    versions = history.list(limit=args.limit)
    if args.json:
        print(json.dumps([version.plain() for version in versions]))
        return 0
    database = Database(home() / "conductor.db")
    broke = Examples(database).read_breaks()
    database.close()
    for version in versions:
        mark = "*" if version.current else " "
        by = f"  by {version.author.describe()}" if version.author else ""
        print(f"{mark} {version.id:>5}  {version.at:%Y-%m-%d %H:%M:%S}  {version.reason}{by}")
        for name in broke.get(version.hash, ()):
            print(f"{'':>29}broke the example `{name}`")
    if not versions:
        print("No versions yet; Conductor saves them once you have run `conductor run`.")
    return 0
