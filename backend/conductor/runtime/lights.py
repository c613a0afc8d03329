"""Lights the controls of devices, by MIDI messages from the light tables that the app sends to the engine."""

from collections.abc import Sequence
from typing import Protocol

from pydantic import TypeAdapter

from conductor.base.json_types import JsonObject
from conductor.domain.devices import Matcher, PortInfo
from conductor.domain.lights import (
    Light,
    LightTable,
    build_missing_profile_error,
    build_plain_message,
)

_MATCHERS_ADAPTER: TypeAdapter[tuple[Matcher, ...]] = TypeAdapter(tuple[Matcher, ...])


class NamedOutputs(Protocol):
    """MIDI outputs that can be found by their alias or a part of their name."""

    def send(self, port: str, message: bytes) -> None: ...
    def find_port_name(self, port: str) -> str: ...


class _LightTables:
    """The light tables of all profiles; each is parsed when it is first needed, and kept by port name."""

    def __init__(self, tables: Sequence[JsonObject] = ()) -> None:
        self._tables = tuple(
            (_MATCHERS_ADAPTER.validate_python(table["matchers"]), table) for table in tables
        )
        self._parsed: dict[str, LightTable | None] = {}
        """The parsed table of each port name; None if no table fits the port."""

    def find_table(self, port: str) -> LightTable | None:
        if port not in self._parsed:
            info = PortInfo(name=port)
            matches = [
                (best, table)
                for matchers, table in self._tables
                if (
                    best := max(
                        (m.specificity for m in matchers if m.matches_port(info)), default=0
                    )
                )
            ]
            best = max(matches, key=lambda match: match[0], default=None)
            self._parsed[port] = None if best is None else LightTable.model_validate(best[1])
        return self._parsed[port]


class DeviceLights:
    """Sends the MIDI messages that light controls of a device, as its light table defines them. Implements
    `domain.ports.LightsOut`.

    A table is parsed when a light of its device is first set. Parsing all tables at once would hold the
    interpreter lock and delay the engine's thread.
    """

    def __init__(self, midi: NamedOutputs) -> None:
        self._midi = midi
        self._tables = _LightTables()

    def replace_tables(self, tables: Sequence[JsonObject]) -> None:
        """Replace all light tables by new ones. Called in the thread of the link."""
        # Replaced in one assignment, because the engine's thread may be parsing one of the old tables.
        self._tables = _LightTables(tables)

    def show_light(self, device: str, light: Light) -> None:
        """Send the MIDI messages that set a light of a device.

        Raises:
            ActionFailed: The device is not connected or does not support the light. The message says which
                lights it supports.
        """
        table = self._tables.find_table(self._midi.find_port_name(device))
        if table is not None:
            messages = table.build_messages(light)
        elif isinstance(light.color, int):
            messages = [build_plain_message(light)]
        else:
            raise build_missing_profile_error(device, light)
        for message in messages:
            self._midi.send(device, message)
