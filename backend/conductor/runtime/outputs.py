"""The outputs that actions use in the engine process, such as keyboard, MIDI and OSC."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from conductor.domain.keys import cmd_key
from conductor.domain.ports import MidiOut, Mouse, OscOut, Plugins, Programs, Volume
from conductor.runtime.ledger import Ledger, LedgerKeyboard
from conductor.runtime.lights import DeviceLights
from conductor.system.build import System


class PreparedMidi(MidiOut, Protocol):
    """A MIDI output that can open ports before they are used."""

    def prepare(self, ports: Iterable[str]) -> None: ...
    def find_port_name(self, port: str) -> str: ...


class Outputs:
    """Implements `domain.ports.Ports` with the operating system, MIDI outputs, plugins, and a keyboard with a
    ledger.
    """

    def __init__(
        self, ledger: Ledger, midi: PreparedMidi, plugins: Plugins, portal_token: Path
    ) -> None:
        self._cmd_key = "auto"
        self._portal_token = portal_token
        self._system = System(cmd_key("auto"), portal_token)
        self._system.connect()
        self.keyboard = LedgerKeyboard(self._system.keyboard, ledger)
        self.midi: PreparedMidi = midi
        self.lights = DeviceLights(midi)
        self.plugins: Plugins = plugins

    @property
    def input_route(self) -> str | None:
        """The name of the way that keys go to other programs; None if there is none yet."""
        return self._system.input_route

    @property
    def mouse(self) -> Mouse:
        return self._system.mouse

    @property
    def programs(self) -> Programs:
        return self._system.programs

    @property
    def volume(self) -> Volume:
        return self._system.volume

    @property
    def osc(self) -> OscOut:
        return self._system.osc

    def use_cmd_key(self, setting: str) -> None:
        """Set the key that `cmd` stands for, after releasing all held keys."""
        if setting == self._cmd_key:
            return
        before, self._system = self._system, System(cmd_key(setting), self._portal_token)
        self._cmd_key = setting
        self.keyboard.replace(self._system.keyboard)
        before.close()  # first: a desktop ends both of two sessions with one consent
        self._system.connect()

    def prepare(self, ports: Iterable[str]) -> None:
        """Open MIDI outputs before they are used, now or as soon as they are connected.

        Must not be called in the engine's thread.
        """
        self.midi.prepare(ports)

    def close(self) -> None:
        self.keyboard.release_all()
        self._system.close()
