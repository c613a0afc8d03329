"""Controls the engine process for the page."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TypeVar

from conductor.base.json_types import JsonObject
from conductor.devices.virtual.controller import VIRTUAL_CONTROLS, VirtualController
from conductor.domain.actions import Action
from conductor.domain.engine_protocol import Pause, PostEvents, RequestFor
from conductor.domain.events import InputEvent
from conductor.domain.wire_rows import event_to_plain
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.pause_lease import PauseLease
from conductor.runtime.recording import RecordingStore

_Reply = TypeVar("_Reply")
DEFAULT_VELOCITY = 100


class PageEngine:
    """Implements `bridge.services.EngineServices`, through which the page controls the engine process."""

    def __init__(
        self,
        engine: EngineConnection,
        recording: RecordingStore,
        perform: Callable[[Action], None],
    ) -> None:
        self._process = engine.process
        self._perform = perform
        self.recording = recording
        self.pause_lease = PauseLease(lambda on: engine.process.send_request_async(Pause(on)))

    @property
    def is_running(self) -> bool:
        return self._process.running.is_set()

    def perform_action(self, action: Action) -> None:
        self._perform(action)

    def send_request(self, request: RequestFor[_Reply]) -> _Reply:
        return self._process.send_request(request)

    def list_virtual_controls(self) -> list[JsonObject]:
        return [asdict(control) for control in VIRTUAL_CONTROLS]

    def play_virtual_control(self, do: str, control: str, value: int | None) -> None:
        """Play a control of the virtual controller.

        The events are built here instead of in the engine, so that the caller receives an error for an
        unknown control.
        """
        events: list[InputEvent] = []
        virtual = VirtualController(events.append, lambda: 0.0)
        match do:
            case "press":
                virtual.press(control, DEFAULT_VELOCITY if value is None else value)
            case "release":
                virtual.release(control)
            case _:
                virtual.turn(control, value or 0)
        self._process.send(PostEvents([event_to_plain(event) for event in events]))

    def restart_engine(self) -> None:
        self._process.restart()
