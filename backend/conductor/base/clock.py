"""The application clock: monotonic seconds that are comparable between all processes of this machine."""

import time
from collections.abc import Callable

now = time.perf_counter
"""Returns seconds. `perf_counter` is system-wide on Linux, macOS and Windows, with sub-microsecond resolution
(`time.monotonic` ticks every 15 ms on Windows)."""


class Epoch:
    """Converts times of the application clock to times of day."""

    MIN_CLOCK_CHANGE_S = 1.0
    """The smallest difference, in seconds, that counts as a change of the computer's clock. It means that the
    clock was set or that the computer slept. Smaller differences come from reading two clocks one after the
    other and from their drift, and must not move the displayed times of events."""

    def __init__(
        self, read_clock: Callable[[], float] = now, read_unix: Callable[[], float] = time.time
    ) -> None:
        self._read_clock = read_clock
        self._read_unix = read_unix
        self._epoch_s: float | None = None

    def get_epoch_unix_s(self) -> float:
        """Return the Unix time in seconds at which the application clock was 0.

        The result changes only when the computer's clock is set.
        """
        at = self._read_unix() - self._read_clock()
        if self._epoch_s is None or abs(at - self._epoch_s) > self.MIN_CLOCK_CHANGE_S:
            self._epoch_s = at
        return self._epoch_s
