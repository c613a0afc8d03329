"""A hand at a knob, in a process of its own: `python knob.py CONTROLLER RATE REST`.

It prints `ready`, turns up and down from the first line on its input, and at the next comes to rest at
REST and prints how many values it sent, and for how long.
"""

import json
import select
import sys
import time
from typing import Any

from conductor.devices.midi.binding import rtmidi

CHANNEL = 16
PORT = "Conductor In"
WAIT_S = 30.0


def main(controller: int, rate: float, rest: int) -> None:
    """Turn until told to stop."""
    output = rtmidi.MidiOut(rtmidi.API_UNIX_JACK, "knob")
    output.open_port(_port(output), "out")
    _say("ready")
    sys.stdin.readline()
    began, sent = time.monotonic(), 0
    while not select.select([sys.stdin], [], [], max(0.0, began + sent / rate - time.monotonic()))[
        0
    ]:
        value = sent % 254
        output.send_message([0xB0 | CHANNEL - 1, controller, value if value < 128 else 254 - value])
        sent += 1
    lasted_s = time.monotonic() - began
    output.send_message([0xB0 | CHANNEL - 1, controller, rest])
    _say(json.dumps({"sent": sent + 1, "seconds": lasted_s}))
    sys.stdin.readline()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _port(output: Any) -> int:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        names: list[str] = output.get_ports()
        for number, name in enumerate(names):
            if PORT in name:
                return number
        select.select([], [], [], 0.05)
    raise SystemExit(f"there is no {PORT}")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
