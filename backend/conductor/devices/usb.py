"""Reads the USB ids and USB port of an ALSA sound card from /proc/asound on Linux."""

import re
from pathlib import Path
from typing import NamedTuple

ALSA_PROC_FOLDER = Path("/proc/asound")
_FIRST_CARD_CLIENT, _CLIENTS_PER_CARD, _FIRST_PROGRAM_CLIENT = 16, 4, 128
_USB_ID = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})")
_USB_PATH = re.compile(r" at usb-\S*?-([0-9.]+), ")


class UsbInfo(NamedTuple):
    """The USB vendor and product ids of a device, and the USB port that it is plugged into."""

    vendor_id: int
    product_id: int
    path: str | None
    """The USB bus and the port on each hub, such as `1-2.4`, or None if unknown."""


def find_usb_info(address: str, root: Path = ALSA_PROC_FOLDER) -> UsbInfo | None:
    """Return the USB info of the sound card at an ALSA address such as `20:0`, or None if there is none."""
    client = address.partition(":")[0]
    card = get_card_number(int(client)) if client.isdecimal() else None
    return read_usb_info(card, root) if card is not None else None


def get_card_number(client: int) -> int | None:
    """Return the card number of an ALSA sequencer client, or None if the client is not a sound card.

    The kernel reserves four client numbers for each card.
    """
    if not _FIRST_CARD_CLIENT <= client < _FIRST_PROGRAM_CLIENT:
        return None
    return (client - _FIRST_CARD_CLIENT) // _CLIENTS_PER_CARD


def read_usb_info(card: int, root: Path = ALSA_PROC_FOLDER) -> UsbInfo | None:
    """Return the USB info of a sound card, or None if it is not a USB card or the system is not Linux."""
    found = _USB_ID.match(_read_text(root / f"card{card}" / "usbid"))
    if found is None:
        return None
    return UsbInfo(int(found[1], 16), int(found[2], 16), _read_usb_path(card, root))


def _read_usb_path(card: int, root: Path) -> str | None:
    bus = _read_text(root / f"card{card}" / "usbbus").partition("/")[0]
    entry = re.search(rf"^ *{card} \[.*\n(.*)$", _read_text(root / "cards"), re.MULTILINE)
    place = _USB_PATH.search(entry[1]) if entry else None
    return f"{int(bus)}-{place[1]}" if place and bus.isdecimal() else None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip("\n")
    except OSError:
        return ""
