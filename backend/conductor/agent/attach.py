"""A file that the user attaches, as a part of a message: read here, so that a mistake is told at once."""

import base64
from collections.abc import Sequence
from itertools import islice
from pathlib import PurePath
from typing import Literal

from conductor.base.invisible_chars import clean
from conductor.domain.chat.messages import FilePart, ImagePart, Part, UserPart
from conductor.domain.phrases import event_words
from conductor.errors import BadScript, InvalidParams

IMAGE_AT_MOST = 5_000_000
TEXT_AT_MOST = 200_000
MIDI_AT_MOST = 1_000_000
EVENTS_AT_MOST = 500
MediaType = Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
IMAGES: tuple[tuple[bytes, MediaType], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)
TEXTS = (".txt", ".md", ".json", ".csv", ".log", ".yaml", ".yml", ".ini", ".syx.txt")
KNOWN = "a config (.toml), a MIDI file (.mid), an image (PNG, JPEG, WebP, GIF) or a text"


def with_images(parts: tuple[UserPart, ...], before: Sequence[Part]) -> tuple[UserPart, ...]:
    """Return images that came back from a page without their bytes those that they had."""
    kept = {one.name: one for one in before if isinstance(one, ImagePart)}
    return tuple(
        kept.get(one.name, one) if isinstance(one, ImagePart) and not one.data else one
        for one in parts
    )


def attach(name: str, content: bytes) -> FilePart | ImagePart:
    """Make a part of a file.

    Raises:
        InvalidParams: it is too large, or nothing that the chat can read; says what can be attached.
    """
    name = clean(PurePath(name.replace("\\", "/")).name)[:120] or "file"
    media_type = _image_type(content)
    if media_type is not None:
        _fits(name, content, IMAGE_AT_MOST)
        data = base64.b64encode(content).decode()
        return ImagePart(name=name, media_type=media_type, data=data)
    suffix = PurePath(name).suffix.lower()
    if suffix in (".mid", ".midi") or content.startswith(b"MThd"):
        _fits(name, content, MIDI_AT_MOST)
        return FilePart(name=name, kind="midi", text=_midi(name, content))
    _fits(name, content, TEXT_AT_MOST)
    if suffix == ".toml":
        return FilePart(name=name, kind="config", text=_text(name, content))
    if suffix in TEXTS:
        return FilePart(name=name, kind="text", text=_text(name, content))
    raise InvalidParams(f"{name} cannot be attached: give {KNOWN}")


def _image_type(content: bytes) -> MediaType | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in IMAGES if content.startswith(magic)), None)


def _fits(name: str, content: bytes, at_most: int) -> None:
    if not content:
        raise InvalidParams(f"{name} is empty")
    if len(content) > at_most:
        raise InvalidParams(
            f"{name} has {len(content) / 1e6:.1f} MB; at most {at_most / 1e6:g} MB can be attached"
        )


def _text(name: str, content: bytes) -> str:
    try:
        return clean(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise InvalidParams(
            f"{name} is not UTF-8 text: save it as UTF-8, or give {KNOWN}"
        ) from None


def _midi(name: str, content: bytes) -> str:
    from conductor.devices.midi.file import read_midi_file  # imports mido: few attach such a file

    try:
        events = list(islice(read_midi_file(content, "file"), EVENTS_AT_MOST + 1))
    except BadScript as error:
        raise InvalidParams(f"{name}: {error}") from None
    lines = [f"{event.time:.3f} s {event_words(event)}" for event in events[:EVENTS_AT_MOST]]
    if len(events) > EVENTS_AT_MOST:
        lines.append(f"... only the first {EVENTS_AT_MOST} events are shown")
    return "\n".join(lines) or "(no events)"
