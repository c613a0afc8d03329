"""Reads the USB ids and socket of an ALSA sound card from /proc/asound on Linux."""

import re
from pathlib import Path
from typing import NamedTuple

PROC_ASOUND = Path("/proc/asound")
_FIRST_CARD_CLIENT, _CLIENTS_PER_CARD, _FIRST_PROGRAM_CLIENT = 16, 4, 128
_USB_ID = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})")
_USB_PLACE = re.compile(r" at usb-\S*?-([0-9.]+), ")


class UsbInfo(NamedTuple):
    vendor_id: int
    product_id: int
    path: str | None
    """The bus and the sockets of the hubs, such as `1-2.4`."""


def find_client_usb(address: str, root: Path = PROC_ASOUND) -> UsbInfo | None:
    """Return the USB data of the card at a sequencer address such as `20:0`."""
    client = address.partition(":")[0]
    card = find_client_card(int(client)) if client.isdecimal() else None
    return read_card_usb(card, root) if card is not None else None


def find_client_card(client: int) -> int | None:
    """Return the card of an ALSA sequencer client; the kernel reserves four clients for each card."""
    if not _FIRST_CARD_CLIENT <= client < _FIRST_PROGRAM_CLIENT:
        return None
    return (client - _FIRST_CARD_CLIENT) // _CLIENTS_PER_CARD


def read_card_usb(card: int, root: Path = PROC_ASOUND) -> UsbInfo | None:
    """Return a card's USB data; None when it is not a USB card or this is not Linux."""
    found = _USB_ID.match(_read_text(root / f"card{card}" / "usbid"))
    if found is None:
        return None
    return UsbInfo(int(found[1], 16), int(found[2], 16), _find_card_path(card, root))


def _find_card_path(card: int, root: Path) -> str | None:
    bus = _read_text(root / f"card{card}" / "usbbus").partition("/")[0]
    entry = re.search(rf"^ *{card} \[.*\n(.*)$", _read_text(root / "cards"), re.MULTILINE)
    place = _USB_PLACE.search(entry[1]) if entry else None
    return f"{int(bus)}-{place[1]}" if place and bus.isdecimal() else None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip("\n")
    except OSError:
        return ""
