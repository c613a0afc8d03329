"""Selects the binding of the RtMidi library: python-rtmidi, or else supriya-midi (docs/adr/0026)."""

from typing import Any, cast

try:
    import rtmidi as untyped
except ModuleNotFoundError:
    from conductor.devices.midi import supriya as untyped

rtmidi = cast(Any, untyped)
"""A module with the interface of python-rtmidi."""
