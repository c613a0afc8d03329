"""The application clock: monotonic seconds that are comparable between all processes of this machine."""

import time

now = time.perf_counter
"""Returns seconds. `perf_counter` is system-wide on Linux, macOS and Windows, with sub-microsecond resolution
(`time.monotonic` ticks every 15 ms on Windows)."""
