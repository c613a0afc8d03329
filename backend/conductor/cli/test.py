"""`conductor test`: the examples that came with applied plans are the regression tests of the config."""

import argparse
import json
from pathlib import Path

from conductor.base.paths import home
from conductor.config.parse import decode, load
from conductor.domain.config import Config
from conductor.engine.examples import run_examples
from conductor.errors import ConfigNotFound
from conductor.storage.database import Database
from conductor.storage.examples import Examples


def run(args: argparse.Namespace) -> int:
    """Play every kept example through the config; 0 when all do what they should."""
    folder = home()
    database = Database(folder / "conductor.db")
    examples = Examples(database).all()
    database.close()
    results = run_examples(_config(folder / "config.toml"), examples)
    if args.json:
        print(json.dumps([result.model_dump(mode="json") for result in results]))
    else:
        for result in results:
            print(f"{'ok  ' if result.passed else 'FAIL'} {result.example.name}")
            if result.problem:
                print(f"     {result.problem}")
        failed = sum(not result.passed for result in results)
        print(f"{len(results)} examples, {failed} failed")
    return 1 if any(not result.passed for result in results) else 0


def _config(path: Path) -> Config:
    try:
        return load(decode(path.read_bytes(), path.name), path.name)[0]
    except OSError as error:
        raise ConfigNotFound(f"{path} cannot be read: {error.strerror}") from None
