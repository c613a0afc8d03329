"""`conductor undo`, `redo` and `history`: restore or list the versions of the config.

The commands write the config file directly. A running Conductor loads it again, as after any edit.
"""

import argparse
import json
from contextlib import closing
from functools import partial

from conductor.base.paths import find_other_config, get_home_folder
from conductor.cli.running_config import find_running_config
from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.engine.examples.play import ExamplePlayer
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History, open_history
from conductor.tools.stored_examples import (
    describe_broken_example,
    find_broken_examples,
    rename_modes_in_examples,
)


def run(args: argparse.Namespace) -> int:
    """Undo or redo a change of the config, or list the versions. Return the exit code."""
    if args.command == "history":
        return _list_versions(args)
    folder = get_home_folder()
    path = find_running_config()
    history = partial(open_history, folder / "conductor.db", find_other_config(folder, path))
    store = ConfigStore(path, history=history)
    before = store.load_file()
    broken = bool(store.problems)
    store.undo_change() if args.command == "undo" else store.redo_change()
    count = sum(1 for _ in store.current_config.list_all_mappings())
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
    """Play the saved examples under the current config.

    Return a line for each example that the change broke.
    """
    database = Database(get_home_folder() / "conductor.db")
    examples = Examples(database)
    rename_modes_in_examples(before, store.current_config, examples)
    _, broken = find_broken_examples(
        before, ExamplePlayer(store.current_config), examples.list_examples()
    )
    examples.record_breaks(store.config_hash, broken)
    database.close()
    return [describe_broken_example(example, reason) for example in broken]


def _list_versions(args: argparse.Namespace) -> int:
    folder = get_home_folder()
    other = find_other_config(folder, find_running_config())
    with closing(Database(folder / "conductor.db", config_file=other)) as database:
        versions = History(database).list(limit=args.limit)
        broke = Examples(database).read_breaks()
    if args.json:
        print(json.dumps([version.to_plain() for version in versions]))
        return 0
    for version in versions:
        mark = "*" if version.current else " "
        by = f"  by {version.author.describe()}" if version.author else ""
        print(f"{mark} {version.id:>5}  {version.at:%Y-%m-%d %H:%M:%S}  {version.reason}{by}")
        for name in (name for one in version.hashes for name in broke.get(one, ())):
            print(f"{'':>29}broke the example `{name}`")
    if not versions:
        print("No versions yet; Conductor saves the first one when you run `conductor run`.")
    return 0
