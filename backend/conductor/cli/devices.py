"""`conductor devices`: lists the devices of the running Conductor.

Without a running Conductor, it scans for devices itself.
"""

import argparse
import json

from conductor.cli.client import SocketClient
from conductor.cli.status import format_device
from conductor.domain.wire_rows import DeviceRow
from conductor.errors import NotRunning


def run(args: argparse.Namespace) -> int:
    """Print one line for each MIDI port and gamepad, then the problems with devices. Return the exit code."""
    try:
        found = SocketClient().call_method("conductor_list_devices")
        devices, problems = found["devices"], list[str]()
    except NotRunning:
        devices, problems = scan_devices()
    if args.json:
        print(json.dumps({"devices": devices, "problems": problems}))
        return 0
    for device in devices:
        print(format_device(device))
    for problem in problems:
        print(problem)
    if not devices:
        print("No devices connected. `conductor run --demo` shows the built-in virtual controller.")
    return 0


def scan_devices() -> tuple[list[DeviceRow], list[str]]:
    """Return the connected devices and a list of problems, without opening a port or gamepad."""
    from conductor.devices.listing import list_gamepads, list_midi_ports

    ports, port_problems = list_midi_ports()
    pads, pad_problems = list_gamepads()
    return [status.to_row() for status in [*ports, *pads]], [*port_problems, *pad_problems]
