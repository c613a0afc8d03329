"""What the app does step by step, to reuse parts of an earlier result, in one call each."""

from collections.abc import Mapping, Sequence

from conductor.domain.config import Config
from conductor.domain.conflicts.overlaps import find_config_overlaps, mark_new_overlaps
from conductor.domain.events import InputEvent
from conductor.domain.examples import Example
from conductor.domain.plan import Overlap, Replay
from conductor.domain.recording import Recording, Segment
from conductor.engine.examples.pin import NO_DEVICE_PORTS, pin_example_with_player
from conductor.engine.examples.play import ExamplePlayer
from conductor.engine.recording.segment_recorder import OpenSegment
from conductor.engine.replay import compare_recording, describe_comparison


def replay_recording(old: Config, new: Config, recording: Recording) -> Replay:
    """Compare what a recording causes under two configs."""
    return describe_comparison(old, new, compare_recording(old, new, recording))


def pin_example(
    example: Example, config: Config, ports: Mapping[str, str] = NO_DEVICE_PORTS
) -> Example:
    """Return a pinned example; an example that fails is returned unchanged.

    `ports` maps aliases to the ports that they are connected to, as far as these are known.
    """
    return pin_example_with_player(ExamplePlayer(config), example, ports)


def compare_overlaps(old: Config, new: Config, events: Sequence[InputEvent] = ()) -> list[Overlap]:
    """Return the overlaps of the new config, with those of the old config marked as not new."""
    return mark_new_overlaps(
        old, new, find_config_overlaps(old, events), find_config_overlaps(new, events)
    )


def build_segment(segment: OpenSegment, session: str) -> Segment:
    """Return a segment with its current entries."""
    return Segment(
        session,
        segment.config_id,
        segment.week_s,
        segment.devices,
        segment.start,
        tuple(segment.get_entry(number) for number in range(len(segment.steps))),
        segment.is_loaded,
    )
