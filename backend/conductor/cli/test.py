"""`conductor test`: plays the saved examples, which are the regression tests of the user's config."""

import argparse
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from conductor.base.atomic import hash_bytes
from conductor.base.json_types import JsonObject
from conductor.base.paths import find_other_config, get_home_folder
from conductor.cli.config_file import read_config
from conductor.cli.running_config import find_running_config
from conductor.cli.text import sanitize_line
from conductor.config.parse import decode_config_bytes
from conductor.domain.examples import Example
from conductor.engine.examples.check import run_examples
from conductor.engine.examples.play import ExamplePlayer
from conductor.errors import InvalidParams
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History, Version
from conductor.tools.bisect import BreakSearchResult, find_breaking_version, iterate_versions_back


def run(args: argparse.Namespace) -> int:
    """Play every saved example under the config. Return 0 if all of them pass, otherwise 1."""
    folder = get_home_folder()
    path = find_running_config()
    database = Database(folder / "conductor.db", config_file=find_other_config(folder, path))
    try:
        examples = Examples(database).list_examples()
        if args.bisect is not None:
            return _bisect_examples(examples, path, History(database), args)
    finally:
        database.close()
    results = run_examples(ExamplePlayer(read_config(path)), examples)
    if args.json:
        print(json.dumps([result.model_dump(mode="json") for result in results]))
    else:
        for result in results:
            print(f"{'ok  ' if result.passed else 'FAIL'} {result.example.name}")
            if result.problem:
                print(f"     {result.problem}")
        failed = sum(not result.passed for result in results)
        print(f"{len(results)} examples, {failed} failed")
        if failed:
            print("Run `conductor test --bisect` to find the changes that broke them.")
    return 1 if any(not result.passed for result in results) else 0


def _bisect_examples(
    examples: tuple[Example, ...], path: Path, history: History, args: argparse.Namespace
) -> int:
    """Print which change of the config broke the chosen example, or each example that fails.

    Return 0 if all chosen examples pass, otherwise 1.
    """
    wanted = [example for example in examples if args.bisect in ("", example.name)]
    if args.bisect and not wanted:
        raise InvalidParams(f"no example is called `{args.bisect}`; `conductor test` lists them")
    versions = [
        *_yield_unsaved_version(path, history),
        *iterate_versions_back(history),
    ]
    found = {example.name: find_breaking_version(example, versions) for example in wanted}
    failing = {name: result for name, result in found.items() if not result.passes_now}
    if args.json:
        print(json.dumps([_build_result_json(name, result) for name, result in found.items()]))
        return 1 if failing else 0
    for name, result in (found if args.bisect else failing).items():
        print(sanitize_line(result.describe_result(name)))
        if result.culprit is not None:
            print(sanitize_line(f"  {result.culprit.problem}"))
            print("\n".join(sanitize_line(f"  {row}") for row in result.culprit.diff.splitlines()))
    if not args.bisect:
        print(f"{len(found)} examples, {len(failing)} failed")
    return 1 if failing else 0


def _yield_unsaved_version(path: Path, history: History) -> Iterator[Version]:
    """Yield the config file as an additional version, if it was edited since the latest version."""
    latest, data = history.latest(), path.read_bytes() if path.exists() else b""
    if data and (latest is None or latest.hash != hash_bytes(data)):
        at = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
        reason = "edited while Conductor was not running"
        number = 1 if latest is None else latest.id + 1
        text = decode_config_bytes(data, path.name)
        yield Version(number, at, hash_bytes(data), reason, current=True, text=text)


def _build_result_json(name: str, found: BreakSearchResult) -> JsonObject:
    culprit = found.culprit
    return {
        "example": name,
        "holds": found.passes_now,
        "versions_played": found.versions,
        "version": None if culprit is None else culprit.version.to_plain(),
        "problem": None if culprit is None else culprit.problem,
        "diff": None if culprit is None else culprit.diff,
    }
