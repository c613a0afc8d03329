"""`conductor recording`: how much of what was played is kept, and forgetting it."""

import argparse
import json
from typing import Any

from conductor.base.paths import RECORDING, home
from conductor.cli.client import Client
from conductor.domain.engine_protocol import ReadRecording
from conductor.domain.settings import EngineSettings
from conductor.errors import NotAvailable, NotRunning
from conductor.runtime.recording import RecordingStore
from conductor.storage.recordings import RecordingFiles


def run(args: argparse.Namespace) -> int:
    """Print how much is kept, or clear it; without a running Conductor from the files."""
    status = _ask(args.verb)
    if args.json:
        print(json.dumps(status))
        return 0
    amount = (
        f"{_count(status['entries'], 'event')}, {status['played_s'] / 60:.1f} minutes of playing"
    )
    if args.verb == "clear":
        print(f"Cleared: {amount}.")
        return 0
    place = f"{status['bytes_on_disk'] / 1e6:.1f} MB on disk"
    print(f"Kept: {amount}; {place if status['is_kept_on_disk'] else 'not on disk'}.")
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _ask(verb: str) -> dict[str, Any]:
    try:
        client = Client()
    except NotRunning:
        return _from_files(verb)
    return client.call(f"terminal.recording.{verb}")


def _from_files(verb: str) -> dict[str, Any]:
    def no_engine(_request: ReadRecording) -> dict[str, Any]:
        raise NotAvailable("Conductor is not running")

    files = RecordingFiles(home() / RECORDING)
    # the longest history: what the config keeps must not be trimmed by looking at it
    settings = EngineSettings(history_minutes=240)
    store = RecordingStore(no_engine, lambda: None, print, files, settings)
    return store.clear() if verb == "clear" else store.status()
