"""From engine time to the clock on the wall."""

from datetime import datetime

from conductor.base.clock import now


def wall_clock(at: float) -> tuple[int, int]:
    """Give local time as (ISO weekday, minute of the day)."""
    local = datetime.fromtimestamp(
        datetime.now().astimezone().timestamp() + at - now()
    ).astimezone()
    return local.isoweekday(), local.hour * 60 + local.minute
