"""`conductor recording`: shows how much input is recorded, or deletes the recording."""

import argparse
import json
from typing import cast

from conductor.base.paths import RECORDING_FOLDER, get_home_folder
from conductor.cli.client import SocketClient
from conductor.domain.engine_protocol import ReadRecording
from conductor.domain.engine_replies import RecordingPart
from conductor.domain.settings import EngineSettings
from conductor.errors import NotAvailable, NotRunning
from conductor.runtime.recording import RecordingStatus, RecordingStore
from conductor.storage.recordings import RecordingFiles


def run(args: argparse.Namespace) -> int:
    """Print the size of the recording, or delete it. Return the exit code.

    Without a running Conductor, the files are read or deleted directly.
    """
    status = _read_or_clear(args.verb)
    if args.json:
        print(json.dumps(status))
        return 0
    events = _format_count(status["entries"], "event")
    amount = f"{events}, {status['played_s'] / 60:.1f} minutes of playing"
    if args.verb == "clear":
        print(f"Deleted: {amount}.")
        return 0
    size = f"{status['bytes_on_disk'] / 1e6:.1f} MB on disk"
    print(f"Recorded: {amount}; {size if status['is_kept_on_disk'] else 'in memory only'}.")
    return 0


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _read_or_clear(verb: str) -> RecordingStatus:
    try:
        client = SocketClient()
    except NotRunning:
        return _run_on_files(verb)
    return cast(RecordingStatus, client.call_method(f"terminal.recording.{verb}"))


def _run_on_files(verb: str) -> RecordingStatus:
    def raise_not_running(_request: ReadRecording) -> RecordingPart:
        raise NotAvailable("Conductor is not running")

    files = RecordingFiles(get_home_folder() / RECORDING_FOLDER)
    # the longest history that the settings allow, so that reading the files does not delete old
    # events
    settings = EngineSettings(history_minutes=240)
    store = RecordingStore(raise_not_running, lambda: None, _print_problem, files, settings)
    return store.clear() if verb == "clear" else store.status()


def _print_problem(text: str | None) -> None:
    if text is not None:
        print(text)
