"""Selects the RtMidi binding: python-rtmidi if it is installed, otherwise supriya-midi (docs/adr/0026)."""

from typing import Any


def _load_binding() -> tuple[Any, str]:
    """Return the binding, and the reason why there is none or an empty string."""
    try:
        try:
            import rtmidi as found
        except ModuleNotFoundError:
            from conductor.devices.midi import supriya as found
    except ImportError as error:  # both need the libasound of the system
        from conductor.devices.midi import no_rtmidi

        problem = f"MIDI is not available: {error}"
        if "libasound" in str(error):
            problem += "; install the package libasound2 (libasound2t64 since Debian 13)"
        return no_rtmidi, problem
    return found, ""


rtmidi, BINDING_PROBLEM = _load_binding()
"""A module with the interface of python-rtmidi, and why no binding can be loaded or an empty string."""
