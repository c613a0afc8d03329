"""Lights controls of devices in the engine process, from the light tables that the app sends."""

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

_matchers: TypeAdapter[tuple[Matcher, ...]] = TypeAdapter(tuple[Matcher, ...])


class NamedOutputs(Protocol):
    """MIDI outputs, with the name of the port that an alias or a part of a name stands for."""

    def send(self, port: str, message: bytes) -> None: ...
    def find_port_name(self, port: str) -> str: ...


class DeviceLights:
    """Implements `domain.ports.LightsOut`. The tables are replaced as a whole, by the link's thread.

    A table is parsed when a light of its device is first set: parsing all of them would hold the interpreter
    lock and delay the engine thread.
    """

    def __init__(self, midi: NamedOutputs) -> None:
        self._midi = midi
        self._tables: tuple[tuple[tuple[Matcher, ...], JsonObject], ...] = ()
        self._found: dict[str, LightTable | None] = {}
        """The table of each port name that was needed so far."""

    def use(self, tables: Sequence[JsonObject]) -> None:
        """Replace the light tables."""
        self._tables = tuple(
            (_matchers.validate_python(table["matchers"]), table) for table in tables
        )
        self._found = {}

    def show(self, device: str, light: Light) -> None:
        """Send the messages that light a control.

        Raises:
            ActionFailed: the device is not connected, or cannot show this; the message says what it can show.
        """
        table = self._find_table(self._midi.find_port_name(device))
        if table is not None:
            messages = table.build_messages(light)
        elif isinstance(light.color, int):
            messages = [build_plain_message(light)]
        else:
            raise build_missing_profile_error(device, light)
        for message in messages:
            self._midi.send(device, message)

    def _find_table(self, port: str) -> LightTable | None:
        if port not in self._found:
            info = PortInfo(name=port)
            fitting = [
                (best, table)
                for matchers, table in self._tables
                if (best := max((m.specificity for m in matchers if m.matches(info)), default=0))
            ]
            best = max(fitting, key=lambda each: each[0], default=None)
            self._found[port] = None if best is None else LightTable.model_validate(best[1])
        return self._found[port]
