"""The lanes of the plan review, as the page is given them."""

from collections.abc import Sequence

from conductor.bridge.models import Timeline, TimelineEvent, TimelineFiring
from conductor.engine import timeline as engine_timeline
from conductor.engine.timeline import Lane


def timeline_view(played: engine_timeline.Timeline) -> Timeline:
    """Return the engine's lanes in the form of the page."""
    return Timeline(
        duration_ms=played.duration_ms,
        inputs=tuple(TimelineEvent(**one._asdict()) for one in played.inputs),
        old=_firings(played.old),
        new=_firings(played.new),
        left_out=played.left_out,
    )


def _firings(lane: Sequence[Lane]) -> tuple[TimelineFiring, ...]:
    return tuple(
        TimelineFiring(
            time_ms=one.time_ms,
            scope=one.scope,
            index=one.row,
            text=one.text,
            action=one.action,
            source=one.source,
            change=one.change,
        )
        for one in lane
    )
