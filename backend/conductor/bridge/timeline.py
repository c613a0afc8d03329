"""Converts the engine's timeline to the model that the review of a plan shows."""

from collections.abc import Sequence

from conductor.bridge.models import Timeline, TimelineEvent, TimelineFiring
from conductor.engine import timeline as engine_timeline
from conductor.engine.timeline import FiringMark


def build_timeline_view(timeline: engine_timeline.ReplayTimeline) -> Timeline:
    """Convert the engine's timeline to the model that the page shows."""
    return Timeline(
        duration_ms=timeline.duration_ms,
        inputs=tuple(TimelineEvent(**event._asdict()) for event in timeline.inputs),
        old=_build_timeline_firings(timeline.old),
        new=_build_timeline_firings(timeline.new),
        left_out=timeline.left_out,
    )


def _build_timeline_firings(firings: Sequence[FiringMark]) -> tuple[TimelineFiring, ...]:
    return tuple(
        TimelineFiring(
            time_ms=firing.time_ms,
            scope=firing.scope,
            index=firing.row,
            text=firing.text,
            action=firing.action,
            source=firing.source,
            change=firing.change,
        )
        for firing in firings
    )
