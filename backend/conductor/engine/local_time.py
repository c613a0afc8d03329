"""Converts times of the engine's clock to local times."""

from datetime import datetime

from conductor.base.clock import now


def get_wall_clock(at: float) -> tuple[int, int]:
    """Return the local time at an engine time, as the ISO weekday (1 is Monday) and the minute of the day."""
    local = datetime.fromtimestamp(
        datetime.now().astimezone().timestamp() + at - now()
    ).astimezone()
    return local.isoweekday(), local.hour * 60 + local.minute


def get_week_seconds() -> float:
    """Return the current local time in seconds since Monday 00:00."""
    local = datetime.now().astimezone()
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    return local.weekday() * 86_400.0 + (local - midnight).total_seconds()
