"""Decodes the text of files, including compressed files; an error names the kind of a file without text."""

import base64
import gzip
import io
import re
import zipfile
import zlib
from typing import NamedTuple

from conductor.capabilities.file_kinds import detect_kind
from conductor.errors import NotAvailable

MAX_UNPACKED_BYTES = 10_000_000
MAX_CONTROL_CHAR_SHARE = 0.02
MAX_EXAMINED_CHARACTERS = 60_000
BINARY_SIGNATURES = (
    (b"\x89PNG", "an image; the user can attach it to a message"),
    (b"\xff\xd8\xff", "an image; the user can attach it to a message"),
    (b"GIF8", "an image; the user can attach it to a message"),
    (b"SQLite format 3\0", "a database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"RIFF", "sound or a picture"),
    (b"OggS", "sound"),
    (b"fLaC", "sound"),
    (b"ID3", "sound"),
)
_BASE64_PATTERN = re.compile(r'(?<=")[A-Za-z0-9+/\s]{400,}={0,2}(?=")')
_EMBEDDED_NAME_PATTERN = re.compile(rb"(?:\x00[\x20-\x7e]){3,}")


class DecodedText(NamedTuple):
    """The text of a file, and a name for the kind of file that it is."""

    kind: str
    text: str


def decode_file(content: bytes, suffix: str) -> DecodedText:
    """Return the text and the kind of a file with this content.

    Raises:
        NotAvailable: the file has no text; the message says what it is.
    """
    if content.startswith(b"\xf0"):
        return DecodedText("SysEx dump", _format_sysex(content))
    text = _decode_text(_decompress_content(content))
    return DecodedText(detect_kind(text, suffix), _BASE64_PATTERN.sub(_extract_base64_names, text))


def _decompress_content(content: bytes) -> bytes:
    """Return the decompressed content of gzip, zlib or a zip archive with one text; other content is unchanged.

    TouchOSC uses zlib, and in old versions zip.
    """
    try:
        if content.startswith(b"\x1f\x8b"):
            return _require_allowed_size(
                gzip.GzipFile(fileobj=io.BytesIO(content)).read(MAX_UNPACKED_BYTES + 1)
            )
        if content[:1] == b"\x78" and content[1:2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
            return _require_allowed_size(
                zlib.decompressobj().decompress(content, MAX_UNPACKED_BYTES + 1)
            )
        if content.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("index.xml") as file:
                return _require_allowed_size(file.read(MAX_UNPACKED_BYTES + 1))
    except KeyError:
        raise NotAvailable("it is an archive; unpack it first") from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        raise NotAvailable("it is compressed, but damaged or protected by a password") from None
    return content


def _require_allowed_size(unpacked: bytes) -> bytes:
    if len(unpacked) > MAX_UNPACKED_BYTES:
        raise NotAvailable(f"it unpacks to more than {MAX_UNPACKED_BYTES / 1e6:g} MB")
    return unpacked


def _decode_text(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = content.decode("utf-16", "replace")
    elif b"\0" in content:
        raise NotAvailable(f"it is not text but {_describe_binary(content)}")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", "replace")
    hidden = sum(
        1 for char in text[:MAX_EXAMINED_CHARACTERS] if char < " " and char not in "\t\n\r\f\x1b"
    )
    if hidden > MAX_CONTROL_CHAR_SHARE * len(text[:MAX_EXAMINED_CHARACTERS]):
        raise NotAvailable(f"it is not text but {_describe_binary(content)}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _describe_binary(content: bytes) -> str:
    return next(
        (title for magic, title in BINARY_SIGNATURES if content.startswith(magic)), "binary data"
    )


def _format_sysex(content: bytes) -> str:
    """Return SysEx messages as lines of hexadecimal bytes, one message per line."""
    messages = (part + b"\xf7" for part in content.split(b"\xf7") if part)
    return "\n".join(message.hex(" ").upper() for message in messages)


def _extract_base64_names(found: re.Match[str]) -> str:
    """Return the readable names in base64 data, which Traktor's files contain."""
    try:
        blob = base64.b64decode(found[0])
    except ValueError:
        return found[0]
    names = dict.fromkeys(one.decode("utf-16-be") for one in _EMBEDDED_NAME_PATTERN.findall(blob))
    return f"[{len(blob)} packed bytes; names inside: {', '.join(names) or 'none'}]"
