"""Chooses what reads the details of MIDI ports: CoreMIDI on macOS, WinMM on Windows."""

import logging
from collections.abc import Callable

from conductor.devices.identity import ApiName
from conductor.devices.midi.details import DetailReader

_log = logging.getLogger(__name__)


def make_detail_reader(api: ApiName) -> DetailReader | None:
    """Return a reader for a MIDI system, or None if the system reports no details or cannot be asked."""
    makers: dict[ApiName, Callable[[], DetailReader]] = {
        "coremidi": _load_core_midi,
        "winmm": _load_winmm,
    }
    make = makers.get(api)
    try:
        return None if make is None else make()
    except (OSError, AttributeError) as error:  # another version of the system's library
        _log.warning("devices are recognised by their names only: %s", error)
        return None


def _load_core_midi() -> DetailReader:
    from conductor.devices.midi.core_midi import load_core_midi

    return load_core_midi()


def _load_winmm() -> DetailReader:
    from conductor.devices.midi.winmm import load_winmm

    return load_winmm()
