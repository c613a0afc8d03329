"""Describes a Standard MIDI File as text: its length, tempo, time signature and tracks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conductor.devices.midi.file import load_midi_file
from conductor.domain.phrases import format_note_name

MAX_LISTED_CHANGES = 20
MAX_TEMPO_CHANGES = 2_000
MAX_LISTED_NOTES = 32
MAX_LISTED_TEXTS = 20
MAX_LISTED_TRACKS = 64
DEFAULT_BEAT_LENGTH_US = 500_000
"""The default tempo of the file format, in microseconds per quarter note."""
TEXT_META_TYPES = ("text", "marker", "lyrics", "cue_marker", "copyright", "instrument_name")
TempoChanges = Sequence[tuple[int, int]]
"""The tick of each tempo change, with the new tempo in microseconds per quarter note."""


def describe_midi_file(data: bytes) -> str:
    """Return a description of a MIDI file in lines of text, for the assistant.

    Raises:
        BadScript: the data is not a readable MIDI file.
    """
    file = load_midi_file(data)
    tracks = [_parse_track(track) for track in file.tracks]
    clock = _TempoMap(file.ticks_per_beat, _merge_tracks(tracks, "tempos")[:MAX_TEMPO_CHANGES])
    length = clock.format_time(max((track.ticks for track in tracks), default=0))
    lines = [
        f"Standard MIDI File of type {file.type}, {len(tracks)} tracks, {length}",
        f"Resolution: {file.ticks_per_beat} ticks per quarter note",
        _describe_changes(
            "Tempo", [(at, f"{60e6 / tempo:g} bpm") for at, tempo in clock.tempos], clock
        ),
        _describe_changes("Time signature", _merge_tracks(tracks, "time_signatures"), clock),
        _describe_changes("Key", _merge_tracks(tracks, "keys"), clock),
    ]
    for number, track in enumerate(tracks[:MAX_LISTED_TRACKS], 1):
        lines += _describe_track(number, track, clock)
    if len(tracks) > MAX_LISTED_TRACKS:
        lines.append(f"... and {len(tracks) - MAX_LISTED_TRACKS} more tracks")
    return "\n".join(line for line in lines if line)


@dataclass
class _Note:
    """A note with its start and length in ticks; the length is None until the note ends."""

    at: int
    number: int
    velocity: int
    channel: int
    ticks: int | None = None


@dataclass
class _Track:
    """The content of one track, with all times in ticks from the start of the track."""

    name: str = ""
    ticks: int = 0
    tempos: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    time_signatures: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    keys: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    texts: list[str] = field(default_factory=list[str])
    notes: list[_Note] = field(default_factory=list[_Note])
    programs: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    controls: Counter[str] = field(default_factory=Counter[str])
    channels: set[int] = field(default_factory=set[int])
    pending: dict[tuple[int, int], _Note] = field(default_factory=dict[tuple[int, int], _Note])


class _TempoMap:
    """Converts ticks to seconds, following the tempo changes of all tracks."""

    def __init__(self, ticks_per_beat: int, tempos: TempoChanges) -> None:
        self.tempos = (
            tempos if tempos and tempos[0][0] == 0 else [(0, DEFAULT_BEAT_LENGTH_US), *tempos]
        )
        self._ticks_per_beat = ticks_per_beat

    def to_seconds(self, tick: int) -> float:
        passed_us = 0.0
        for number, (at, tempo) in enumerate(self.tempos):
            until = self.tempos[number + 1][0] if number + 1 < len(self.tempos) else tick
            passed_us += max(0, min(until, tick) - at) * tempo / self._ticks_per_beat
        return passed_us / 1e6

    def format_time(self, tick: int) -> str:
        """Return a time as text in seconds, or in ticks if the file counts in frames instead of beats."""
        return f"{self.to_seconds(tick):.3f} s" if self._ticks_per_beat > 0 else f"{tick} ticks"


def _parse_track(messages: Any) -> _Track:
    track = _Track()
    for message in messages:
        track.ticks += message.time
        if message.is_meta:
            _add_meta_message(track, message)
        else:
            _add_message(track, message)
    return track


def _add_meta_message(track: _Track, message: Any) -> None:
    match message.type:
        case "track_name":
            track.name = message.name
        case "set_tempo" if message.tempo > 0:
            track.tempos.append((track.ticks, message.tempo))
        case "time_signature":
            track.time_signatures.append(
                (track.ticks, f"{message.numerator}/{message.denominator}")
            )
        case "key_signature":
            track.keys.append((track.ticks, message.key))
        case kind if kind in TEXT_META_TYPES:
            track.texts.append(
                f"{kind} {getattr(message, 'text', '') or getattr(message, 'name', '')}"
            )
        case _:
            pass


def _add_message(track: _Track, message: Any) -> None:
    if not hasattr(message, "channel"):
        track.controls[message.type] += 1
        return
    channel = message.channel + 1
    track.channels.add(channel)
    match message.type:
        case "note_on" if message.velocity:
            note = _Note(track.ticks, message.note, message.velocity, channel)
            track.notes.append(note)
            track.pending[channel, message.note] = note
        case "note_on" | "note_off":
            pending = track.pending.pop((channel, message.note), None)
            if pending is not None:
                pending.ticks = track.ticks - pending.at
        case "program_change":
            track.programs.append((track.ticks, f"{message.program} (GM {message.program + 1})"))
        case "control_change":
            track.controls[f"CC {message.control}"] += 1
        case kind:
            track.controls[kind.replace("_", " ")] += 1


def _describe_track(number: int, track: _Track, clock: _TempoMap) -> list[str]:
    channels = ", ".join(map(str, sorted(track.channels))) or "none"
    name = f" `{track.name[:100]}`" if track.name else ""
    lines = [
        f"\nTrack {number}{name}: channels {channels}, {_format_note_range(track.notes)}",
        _describe_changes("  Programs", track.programs, clock),
    ]
    if track.controls:
        counted = ", ".join(f"{name} x{count}" for name, count in track.controls.most_common(24))
        lines.append(f"  Other messages: {counted}")
    if track.texts:
        lines.append(f"  Texts: {'; '.join(text[:100] for text in track.texts[:MAX_LISTED_TEXTS])}")
    return [*lines, *_describe_notes(track.notes, clock)]


def _format_note_range(notes: Sequence[_Note]) -> str:
    if not notes:
        return "no notes"
    numbers, velocities = [note.number for note in notes], [note.velocity for note in notes]
    low, high = min(numbers), max(numbers)
    return (
        f"{len(notes)} notes from {low} ({format_note_name(low)}) to {high} ({format_note_name(high)}),"
        f" velocities {min(velocities)}-{max(velocities)}"
    )


def _describe_notes(notes: Sequence[_Note], clock: _TempoMap) -> list[str]:
    lines = [
        f"  {clock.format_time(note.at)} note {note.number} ({format_note_name(note.number)})"
        f" velocity {note.velocity} ch {note.channel}{_format_duration(note, clock)}"
        for note in notes[:MAX_LISTED_NOTES]
    ]
    rest = len(notes) - len(lines)
    return [*lines, f"  ... and {rest} more notes"] if rest > 0 else lines


def _format_duration(note: _Note, clock: _TempoMap) -> str:
    if note.ticks is None:
        return ", never ended"
    end, begin = clock.to_seconds(note.at + note.ticks), clock.to_seconds(note.at)
    return (
        f" for {end - begin:.3f} s"
        if clock.format_time(0).endswith("s")
        else f" for {note.ticks} ticks"
    )


def _describe_changes(title: str, changes: Sequence[tuple[int, str]], clock: _TempoMap) -> str:
    """Return one line with the values of a setting and the times of its changes; repeated values are left
    out.
    """
    distinct = [
        change for n, change in enumerate(changes) if not n or change[1] != changes[n - 1][1]
    ]
    if not distinct:
        return ""
    texts = [
        f"{value} at {clock.format_time(at)}" if at else value
        for at, value in distinct[:MAX_LISTED_CHANGES]
    ]
    rest = len(distinct) - MAX_LISTED_CHANGES
    more = f", and {rest} more changes" if rest > 0 else ""
    return f"{title}: {', '.join(texts)}{more}"


def _merge_tracks(tracks: Sequence[_Track], attribute: str) -> list[Any]:
    """Return the entries of a list that each track has, merged in chronological order."""
    return sorted(item for track in tracks for item in getattr(track, attribute))
