"""Builds a recording from events alone, so that it can be replayed from a newly started engine."""

from collections.abc import Sequence

from conductor.domain.events import InputEvent
from conductor.domain.recording import RecordedEntry, Recording, Segment, StateSnapshot

MONDAY_NOON_S = 12 * 3600.0


def build_recording(
    events: Sequence[InputEvent],
    *,
    mode: str = "",
    week_s: float = MONDAY_NOON_S,
    events_per_segment: int = 1_000,
) -> Recording:
    """Return a recording of events under an unknown config; its replay therefore cannot be verified."""
    in_order = sorted(events, key=lambda event: event.time)
    start_s = in_order[0].time if in_order else 0.0
    pieces = [
        in_order[at : at + events_per_segment] for at in range(0, len(in_order), events_per_segment)
    ]
    return Recording(
        tuple(
            Segment(
                session="events",
                config_id="",
                week_s=week_s + piece[0].time - start_s,
                devices=(),
                start=build_blank_snapshot(mode, piece[0].time),
                entries=tuple(
                    RecordedEntry(number, event.time, event, ())
                    for number, event in enumerate(piece)
                ),
            )
            for piece in pieces
        )
    )


def build_blank_snapshot(mode: str, time: float) -> StateSnapshot:
    """Return the snapshot of an engine that has just been started in a mode."""
    return StateSnapshot(
        time=time,
        mode=mode,
        base_mode=mode,
        previous_mode=mode,
        profile=None,
        app=("", "", ""),
        variables={},
        muted=(),
        paused=False,
        runs_started=0,
        controls=(),
        unfinished=(),
    )
