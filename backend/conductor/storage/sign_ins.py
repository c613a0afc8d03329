"""What servers gave when the user signed in: kept where keys are, bound to the server's name and address."""

import base64
import contextlib
import hashlib
import json
import zlib

from conductor.errors import NotAvailable
from conductor.storage.keys import Keys

PIECE = 1_100
"""Characters; Windows keeps hardly more under one name, and a token may be longer."""
MOST_PIECES = 40
LARGEST = 200_000
TOO_LONG = "what the server gave at the sign-in is too long to be kept"


class SignIns:
    """Implements `mcp.client.values.SignIns`. Every method may wait for the keychain.

    The names begin with `mcp-sign-in:`, so that no `${key:...}` of `mcp.json` can name one.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def require(self) -> None:
        """Look whether a sign-in could be kept.

        Raises:
            NotAvailable: there is no place for it, or it is locked; says what to do.
        """
        state = self._keys.state()
        if state.locked or state.place == "environment":
            raise NotAvailable(f"a sign-in has to be kept in a safe place. {state.words}")

    def load(self, server: str, address: str) -> str | None:
        """Return what was kept for this server at this address; what was for another address is deleted."""
        whole = self._whole(server)
        if whole is None:
            return None
        if whole.get("address") == address:
            return str(whole["text"])
        with contextlib.suppress(NotAvailable):
            self.forget(server)
        return None

    def keep(self, server: str, address: str, text: str) -> None:
        """Keep it, in the place of what was.

        Raises:
            NotAvailable: it cannot be kept.
        """
        packed = zlib.compress(json.dumps({"address": address, "text": text}).encode())
        data = base64.urlsafe_b64encode(packed).decode()
        pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
        if len(pieces) > MOST_PIECES or len(text) > LARGEST:
            raise NotAvailable(TOO_LONG)
        for number, piece in enumerate(pieces, 1):
            self._keys.put(_name(server, number), piece)
        self._keys.put(_name(server, 0), f"{len(pieces)}.{_digest(data)}")

    def forget(self, server: str) -> None:
        """Delete what was kept, if anything was.

        Raises:
            NotAvailable: what keeps it is locked.
        """
        if self._keys.get(_name(server, 0)) is None:
            return
        number = 0
        while number <= MOST_PIECES and self._keys.get(_name(server, number)) is not None:
            self._keys.delete(_name(server, number))
            number += 1

    def _whole(self, server: str) -> dict[str, object] | None:
        """Return what was kept, if all of it is there: a crash may have come between two pieces."""
        count, _, digest = (self._keys.get(_name(server, 0)) or "").partition(".")
        if not count.isdecimal() or int(count) > MOST_PIECES:
            return None
        pieces = [self._keys.get(_name(server, number + 1)) or "" for number in range(int(count))]
        data = "".join(pieces)
        if _digest(data) != digest:
            return None
        unpacked = zlib.decompressobj().decompress(base64.urlsafe_b64decode(data), 2 * LARGEST)
        return json.loads(unpacked)


def _name(server: str, piece: int) -> str:
    return f"mcp-sign-in:{server}:{piece}"


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()
