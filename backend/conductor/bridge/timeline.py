"""The lanes of the plan review."""

from collections.abc import Sequence

from conductor.bridge.shapes import Timeline
from conductor.domain.config import Config
from conductor.domain.events import InputEvent


def timeline_view(
    events: Sequence[InputEvent], old: Config, new: Config, mode: str | None
) -> Timeline | None:
    """Play events under both configs."""
    from conductor.engine.timeline import timeline

    played = timeline(events, old, new, mode)
    return None if played is None else Timeline.model_validate(played)
