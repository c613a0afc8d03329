"""Selects the RtMidi binding: python-rtmidi if it is installed, otherwise supriya-midi (docs/adr/0026)."""

from typing import Any, cast

_problem = ""
try:
    import rtmidi as untyped
except ModuleNotFoundError:
    try:
        from conductor.devices.midi import supriya as untyped
    except ImportError as error:  # the wheel of supriya-midi needs the libasound of the system
        from conductor.devices.midi import no_rtmidi as untyped

        _problem = f"MIDI is not available: {error}"
        if "libasound" in str(error):
            _problem += "; install the package libasound2 (libasound2t64 since Debian 13)"

rtmidi = cast(Any, untyped)
"""A module with the interface of python-rtmidi."""
BINDING_PROBLEM = _problem
"""The reason why no RtMidi binding can be loaded, or an empty string."""
