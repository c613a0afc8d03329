"""Provides keyboard, MIDI, OSC and the other outputs to the actions in the engine process."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from conductor.domain.engine_replies import InputConsent
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.ports import MidiOut, Mouse, OscOut, Plugins, Programs, Voice, Volume
from conductor.runtime.ledger import HeldKeysLedger, LedgerKeyboard
from conductor.runtime.lights import DeviceLights
from conductor.system.build import SystemOutputs


class PreparableMidiOut(MidiOut, Protocol):
    """MIDI outputs that can be opened before the first message is sent to them."""

    def prepare_ports(self, ports: Iterable[str]) -> None: ...
    def find_port_name(self, port: str) -> str: ...


class EngineOutputs:
    """Implements `domain.ports.Ports` for the engine: outputs of the operating system,
    MIDI outputs and plugins.

    Held keys are recorded in a ledger.
    """

    def __init__(
        self,
        ledger: HeldKeysLedger,
        midi: PreparableMidiOut,
        plugins: Plugins,
        voice: Voice,
        portal_token: Path,
    ) -> None:
        self._system = SystemOutputs(portal_token)
        self._system.connect()
        self.keyboard = LedgerKeyboard(self._system.keyboard, ledger, resolve_cmd_key("auto"))
        self.midi: PreparableMidiOut = midi
        self.lights = DeviceLights(midi)
        self.plugins: Plugins = plugins
        self.voice: Voice = voice

    @property
    def input_route(self) -> str | None:
        """The name of the input route that sends keys; None if no route has been chosen yet."""
        return self._system.input_route

    @property
    def input_problem(self) -> str | None:
        """The reason why a better input route of the session cannot be used, or None
        if the best one is in use.
        """
        return self._system.input_problem

    @property
    def input_consent(self) -> InputConsent | None:
        """Whether the user allows Conductor to press keys, or None if this system does not ask."""
        return self._system.input_consent

    def ask_for_consent(self) -> None:
        """Ask the user now whether Conductor may press keys.

        Raises:
            ActionFailed: This system does not ask.
        """
        self._system.ask_for_consent()

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
        """Set the key that `cmd` stands for, as the setting `cmd_key` says; the keyboard stays connected."""
        self.keyboard.use_cmd_key(resolve_cmd_key(setting))

    def prepare_ports(self, ports: Iterable[str]) -> None:
        """Open MIDI outputs before they are used. Outputs that are not connected are opened when they appear.

        Must not be called in the engine's thread, because opening a port may block.
        """
        self.midi.prepare_ports(ports)

    def close(self) -> None:
        self.keyboard.release_all_keys()
        self._system.close()
