"""Converts the engine times of a recording to local times."""

from bisect import bisect_right
from collections.abc import Sequence

from conductor.domain.recording import ClockAnchored, Segment

DAY_S = 86_400
WEEK_S = 7 * DAY_S


class RecordedClock:
    """Returns the local time at each engine time of a recording.

    Later anchors follow changes of the computer's clock.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        anchors = [(segment.start.time, segment.week_s) for segment in segments]
        anchors += [
            (entry.time, entry.input.week_s)
            for segment in segments
            for entry in segment.entries
            if isinstance(entry.input, ClockAnchored)
        ]
        anchors.sort()
        self._times = [time for time, _ in anchors]
        self._anchors = anchors

    def __call__(self, at: float) -> tuple[int, int]:
        """Return the local time at an engine time, as the ISO weekday (1 is Monday)
        and the minute of the day.
        """
        time, week_s = self._anchors[max(0, bisect_right(self._times, at) - 1)]
        now_s = (week_s + at - time) % WEEK_S
        return int(now_s // DAY_S) + 1, int(now_s % DAY_S // 60)
