"""Reports from the engine process to the app that the user holds a control to talk."""

from collections.abc import Callable

from conductor.domain.engine_protocol import FromEngine, ListeningStarted, ListeningStopped


class LinkedVoice:
    """Asks the app to listen to the microphone. Implements `domain.ports.Voice`; used by the engine's
    thread only.
    """

    def __init__(self, emit: Callable[[FromEngine], None]) -> None:
        self._emit = emit
        self._held = 0
        """The number of held controls, because two pads may be held at the same time."""

    def start_listening(self, by: str) -> None:
        self._held += 1
        if self._held == 1:
            self._emit(ListeningStarted(by))

    def stop_listening(self) -> None:
        self._held = max(0, self._held - 1)
        if self._held == 0:
            self._emit(ListeningStopped())
