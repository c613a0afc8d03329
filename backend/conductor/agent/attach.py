"""Converts an attached file into a message part at once, so that an unusable file is refused before the
message is sent.
"""

import base64
from collections.abc import Sequence
from itertools import islice
from pathlib import PurePath
from typing import Literal

from conductor.base.invisible_chars import remove_hidden
from conductor.domain.chat.messages import FilePart, ImagePart, Part, UserPart
from conductor.domain.phrases import describe_event
from conductor.errors import BadScript, InvalidParams

MAX_IMAGE_BYTES = 5_000_000
MAX_TEXT_BYTES = 200_000
MAX_MIDI_BYTES = 1_000_000
MAX_MIDI_EVENTS = 500
MediaType = Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
IMAGE_SIGNATURES: tuple[tuple[bytes, MediaType], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)
TEXT_SUFFIXES = (".txt", ".md", ".json", ".csv", ".log", ".yaml", ".yml", ".ini", ".syx.txt")
SUPPORTED_FILES_TEXT = (
    "a config (.toml), a MIDI file (.mid), an image (PNG, JPEG, WebP, GIF) or a text file"
)


def restore_images(parts: tuple[UserPart, ...], before: Sequence[Part]) -> tuple[UserPart, ...]:
    """Return the parts of an edited message with their image data.

    The page sends images without data, so the data is copied from the earlier version of the message.
    """
    images = {part.name: part for part in before if isinstance(part, ImagePart)}
    return tuple(
        images.get(part.name, part) if isinstance(part, ImagePart) and not part.data else part
        for part in parts
    )


def convert_attachment(name: str, content: bytes) -> FilePart | ImagePart:
    """Convert a file that the user attached into a message part: an image, or the text that describes the file.

    Raises:
        InvalidParams: The file is empty, too large or of an unsupported type. The message names the
            supported types.
    """
    name = remove_hidden(PurePath(name.replace("\\", "/")).name)[:120] or "file"
    media_type = _detect_image_type(content)
    if media_type is not None:
        _check_size(name, content, MAX_IMAGE_BYTES)
        data = base64.b64encode(content).decode()
        return ImagePart(name=name, media_type=media_type, data=data)
    suffix = PurePath(name).suffix.lower()
    if suffix in (".mid", ".midi") or content.startswith(b"MThd"):
        _check_size(name, content, MAX_MIDI_BYTES)
        return FilePart(name=name, kind="midi", text=_describe_midi(name, content))
    _check_size(name, content, MAX_TEXT_BYTES)
    if suffix == ".toml":
        return FilePart(name=name, kind="config", text=_decode_text(name, content))
    if suffix in TEXT_SUFFIXES:
        return FilePart(name=name, kind="text", text=_decode_text(name, content))
    raise InvalidParams(f"{name} cannot be attached: choose {SUPPORTED_FILES_TEXT}")


def _detect_image_type(content: bytes) -> MediaType | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in IMAGE_SIGNATURES if content.startswith(magic)), None)


def _check_size(name: str, content: bytes, max_bytes: int) -> None:
    if not content:
        raise InvalidParams(f"{name} is empty")
    if len(content) > max_bytes:
        raise InvalidParams(
            f"{name} has {len(content) / 1e6:.1f} MB; at most {max_bytes / 1e6:g} MB can be attached"
        )


def _decode_text(name: str, content: bytes) -> str:
    try:
        return remove_hidden(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise InvalidParams(
            f"{name} is not UTF-8 text: save it as UTF-8, or choose {SUPPORTED_FILES_TEXT}"
        ) from None


def _describe_midi(name: str, content: bytes) -> str:
    # mido is imported here because few chats have MIDI files
    from conductor.devices.midi.file import read_midi_file

    try:
        events = list(islice(read_midi_file(content, "file"), MAX_MIDI_EVENTS + 1))
    except BadScript as error:
        raise InvalidParams(f"{name}: {error}") from None
    lines = [f"{event.time:.3f} s {describe_event(event)}" for event in events[:MAX_MIDI_EVENTS]]
    if len(events) > MAX_MIDI_EVENTS:
        lines.append(f"... only the first {MAX_MIDI_EVENTS} events are shown")
    return "\n".join(lines) or "(no events)"
