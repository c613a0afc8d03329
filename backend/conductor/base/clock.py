"""The one clock: monotonic seconds that mean the same in every process of this machine."""

import time

now = time.perf_counter
"""Seconds. `perf_counter` is system-wide on Linux, macOS and Windows, with sub-microsecond steps
(`time.monotonic` ticks every 15 ms on Windows)."""
