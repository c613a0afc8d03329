"""Stores the OAuth tokens of MCP servers with the provider keys, bound to the server's name and address."""

import base64
import contextlib
import hashlib
import json
import zlib

from conductor.errors import NotAvailable
from conductor.storage.keys import Keys

MAX_KEYCHAIN_PIECE_LENGTH = 1_100
"""The maximum number of characters per stored piece of a token. The Windows credential store holds little
text per name, and a token may be longer."""
MAX_KEYCHAIN_PIECES = 40
MAX_SIGN_IN_LENGTH = 200_000
TOKENS_TOO_LONG_MESSAGE = "the tokens that the server issued are too long to be stored"


class SignIns:
    """Stores OAuth tokens of MCP servers.

    Implements `mcp.client.values.SignInStore`. Every method may wait for the keychain.

    The names of stored tokens start with `mcp-sign-in:`, so that no `${key:...}` in `mcp.json` can refer to
    one.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def require_secure_storage(self) -> None:
        """Check that sign-ins can be stored on this computer.

        Raises:
            NotAvailable: there is no keychain or file, or it is locked; the message says what to do.
        """
        state = self._keys.read_state()
        if state.locked or state.place == "environment":
            raise NotAvailable(f"a sign-in must be stored in a safe place. {state.words}")

    def load_sign_in(self, server: str, address: str) -> str | None:
        """Return the tokens of a server for this address, or None. Tokens for another address are deleted."""
        record = self._load_record(server)
        if record is None:
            return None
        if record.get("address") == address:
            return str(record["text"])
        with contextlib.suppress(NotAvailable):
            self.delete_sign_in(server)
        return None

    def save_sign_in(self, server: str, address: str, text: str) -> None:
        """Store the tokens of a server, replacing earlier tokens.

        Raises:
            NotAvailable: the tokens cannot be stored.
        """
        packed = zlib.compress(json.dumps({"address": address, "text": text}).encode())
        data = base64.urlsafe_b64encode(packed).decode()
        pieces = [
            data[at : at + MAX_KEYCHAIN_PIECE_LENGTH]
            for at in range(0, len(data), MAX_KEYCHAIN_PIECE_LENGTH)
        ]
        if len(pieces) > MAX_KEYCHAIN_PIECES or len(text) > MAX_SIGN_IN_LENGTH:
            raise NotAvailable(TOKENS_TOO_LONG_MESSAGE)
        # The head (number 0) is written last, because the pieces count as stored only once it matches them.
        for number, piece in enumerate(pieces, 1):
            self._keys.store_key(_build_key_name(server, number), piece)
        self._keys.store_key(_build_key_name(server, 0), f"{len(pieces)}.{_hash_sign_in(data)}")

    def delete_sign_in(self, server: str) -> None:
        """Delete a server's tokens, if there are any.

        Raises:
            NotAvailable: the keychain or file is locked.
        """
        if self._keys.get_key(_build_key_name(server, 0)) is None:
            return
        number = 0
        while (
            number <= MAX_KEYCHAIN_PIECES
            and self._keys.get_key(_build_key_name(server, number)) is not None
        ):
            self._keys.delete_key(_build_key_name(server, number))
            number += 1

    def _load_record(self, server: str) -> dict[str, object] | None:
        """Return the stored sign-in of a server, or None if a crash interrupted the writing of its pieces."""
        count, _, digest = (self._keys.get_key(_build_key_name(server, 0)) or "").partition(".")
        if not count.isdecimal() or int(count) > MAX_KEYCHAIN_PIECES:
            return None
        pieces = [
            self._keys.get_key(_build_key_name(server, number + 1)) or ""
            for number in range(int(count))
        ]
        data = "".join(pieces)
        if _hash_sign_in(data) != digest:
            return None
        unpacked = zlib.decompressobj().decompress(
            base64.urlsafe_b64decode(data), 2 * MAX_SIGN_IN_LENGTH
        )
        return json.loads(unpacked)


def _build_key_name(server: str, piece: int) -> str:
    return f"mcp-sign-in:{server}:{piece}"


def _hash_sign_in(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()
