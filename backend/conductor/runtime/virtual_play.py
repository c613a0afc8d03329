"""Plays gestures on the virtual controller of the running engine, for the command `conductor play`."""

import threading
from collections.abc import Callable
from typing import TypedDict

from conductor.base.clock import now
from conductor.devices.virtual.script import parse_gestures
from conductor.domain.engine_protocol import PlayVirtual


class PlayedGestures(TypedDict):
    """The number of steps played, and the controls that were still held after the
    last one and were released.
    """

    played: int
    let_go: list[str]


SETTLE_TIME_S = 0.6
"""Seconds to wait after the last gesture, so that delayed effects of it occur before controls are released."""


def play_gestures(gestures: str, send: Callable[[PlayVirtual], None]) -> PlayedGestures:
    """Play gestures at the times in their script, then release all controls that are still held.

    Raises:
        BadScript: The gestures cannot be parsed. Nothing was played.
    """
    moments = parse_gestures(gestures)
    timer, began = threading.Event(), now()
    held: set[str] = set()
    try:
        for at_s, method, args in moments:
            timer.wait(max(0.0, began + at_s - now()))
            _track_held_control(held, method, str(args[0]))
            send(PlayVirtual(method, list(args)))
        timer.wait(SETTLE_TIME_S)
    finally:
        for name in held:
            send(PlayVirtual("release", [name]))
    return {"played": len(moments), "let_go": sorted(held)}


def _track_held_control(held: set[str], method: str, name: str) -> None:
    if method == "press":
        held.add(name)
    elif method == "release":
        held.discard(name)
