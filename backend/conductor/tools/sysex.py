"""Parses the SysEx messages of tools, refuses updates of firmware, and manages approval tokens."""

import hashlib
import secrets
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from conductor.base import clock
from conductor.errors import InvalidParams, NotAllowed

APPROVAL_TOKEN_LIFETIME_S = 60.0
MAX_SYSEX_BYTES = 65_536
MAX_APPROVAL_TOKENS = 100
ANY_HEADER_BYTE = None


class DeniedSysexHeader(NamedTuple):
    """The first bytes of messages that are never sent. None matches any byte.

    `source` is the published document that specifies these bytes.
    """

    header: tuple[int | None, ...]
    description: str
    source: str


FIRMWARE_UPDATE_HEADERS: tuple[DeniedSysexHeader, ...] = (
    DeniedSysexHeader(
        (0xF0, 0x00, 0x20, 0x29, 0x00, 0x71),
        "Novation: start the bootloader",
        "Launchpad MK2 Programmer's Reference Manual, page 16, `Set to bootloader`; it also begins an"
        " update file in dvhdr/launchpad-pro, tools/hextosyx.cpp",
    ),
    DeniedSysexHeader(
        (0xF0, 0x00, 0x20, 0x29, 0x00, 0x72),
        "Novation: firmware data",
        "dvhdr/launchpad-pro, tools/hextosyx.cpp, blocks of type 72",
    ),
    DeniedSysexHeader(
        (0xF0, 0x00, 0x20, 0x29, 0x00, 0x73),
        "Novation: end of firmware",
        "dvhdr/launchpad-pro, tools/hextosyx.cpp, the last block, of type 73",
    ),
    DeniedSysexHeader(
        (0xF0, 0x00, 0x00, 0x7E, 0x32, ANY_HEADER_BYTE, 0x02),
        "MIDIbox MIOS32: write memory",
        "midibox/mios32, bootloader/src/bsl_sysex.c, command 02",
    ),
    *(
        DeniedSysexHeader(
            (0xF0, 0x00, 0x00, 0x7E, 0x40, ANY_HEADER_BYTE, extension << 4 | 0x02),
            "MIDIbox MIOS8: write flash, EEPROM or BankStick",
            "mios_sysex_implementation.txt of MIOS, command X2, where X extends the address",
        )
        for extension in range(8)
    ),
    DeniedSysexHeader(
        (0xF0, 0x00, 0x21, 0x02, ANY_HEADER_BYTE, ANY_HEADER_BYTE, 0x7E),
        "Mutable Instruments: write a page of firmware",
        "pichenettes/avril-firmware_tools, hex2sysex/hex2sysex.py, update_command",
    ),
    DeniedSysexHeader(
        (0xF0, 0x00, 0x20, 0x77, ANY_HEADER_BYTE, ANY_HEADER_BYTE, 0x7E),
        "Mutable Instruments, early products: write a page of firmware",
        "pichenettes/avril-firmware_tools, hex2sysex/hex2sysex.py, obsolete_manufacturer_id",
    ),
    DeniedSysexHeader(
        (0xF0, 0x00, 0x21, 0x02, ANY_HEADER_BYTE, ANY_HEADER_BYTE, 0x7F),
        "Mutable Instruments: restart with the new firmware",
        "pichenettes/avril-firmware_tools, hex2sysex/hex2sysex.py, reset_command",
    ),
)
"""The known first bytes of firmware updates.

The list is not complete, so every message needs approval as well.
"""


def parse_sysex(data: tuple[int | str, ...] | str) -> bytes:
    """Parse a SysEx message and return its bytes.

    Raises:
        InvalidParams: The bytes are not a single complete SysEx message.
        NotAllowed: The message is known to start an update of firmware.
    """
    try:
        parts = data.split() if isinstance(data, str) else data
        message = b"".join(
            bytes((part,)) if isinstance(part, int) else bytes.fromhex(part.removeprefix("0x"))
            for part in parts
        )
    except ValueError:
        raise InvalidParams(
            "Invalid params: data must be bytes in hex, such as F0 7E 7F F7"
        ) from None
    inner = message[1:-1]
    if len(message) < 3 or message[0] != 0xF0 or message[-1] != 0xF7 or any(b > 127 for b in inner):
        raise InvalidParams(
            "Invalid params: a SysEx message starts with F0, ends with F7, and has bytes 00-7F in between"
        )
    if len(message) > MAX_SYSEX_BYTES:
        raise InvalidParams(f"Invalid params: more than {MAX_SYSEX_BYTES} bytes")
    for denied in FIRMWARE_UPDATE_HEADERS:
        if _starts_with_header(message, denied.header):
            raise NotAllowed(
                f"this looks like a firmware update ({denied.description}), which is never sent"
            )
    return message


def _starts_with_header(message: bytes, header: tuple[int | None, ...]) -> bool:
    return len(message) >= len(header) and all(
        wanted is None or byte == wanted for byte, wanted in zip(message, header, strict=False)
    )


class _ApprovalToken(NamedTuple):
    digest: str
    plan_id: str
    expires_at: float


class SysexApprovalTokens:
    """Tokens for SysEx messages that the user approves.

    A token is valid for one port and message, for one use, and for 60 seconds.
    """

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._now = now
        self._tokens: dict[str, _ApprovalToken] = {}
        self._lock = Lock()

    def create_token(self, port: str, data: bytes, plan_id: str) -> str:
        """Create a token for sending a message to a port, after the user has approved the plan with this id."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            while len(self._tokens) >= MAX_APPROVAL_TOKENS:
                del self._tokens[next(iter(self._tokens))]
            self._tokens[token] = _ApprovalToken(
                _hash_message(port, data), plan_id, self._now() + APPROVAL_TOKEN_LIFETIME_S
            )
        return token

    def find_plan_id(self, token: str, port: str, data: bytes) -> str:
        """Return the id of the plan for which a token was created.

        Raises:
            NotAllowed: The token is unknown, used or expired, or was created for another message.
        """
        with self._lock:
            found = self._tokens.get(token)
        if found is None:
            raise NotAllowed("this token is unknown or was already used; request a new one")
        if self._now() > found.expires_at:
            raise NotAllowed(
                f"this token is older than {APPROVAL_TOKEN_LIFETIME_S:g} s; request a new one"
            )
        if not secrets.compare_digest(found.digest, _hash_message(port, data)):
            raise NotAllowed("this token was created for another port or other bytes")
        return found.plan_id

    def invalidate_token(self, token: str) -> None:
        """Invalidate a token, so that it cannot be used again."""
        with self._lock:
            self._tokens.pop(token, None)


def _hash_message(port: str, data: bytes) -> str:
    return hashlib.sha256(port.encode() + b"\0" + data).hexdigest()
