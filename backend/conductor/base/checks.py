"""One row of what `conductor doctor` found: works or not, and what to do about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, whether it works, what was seen, and the remedy when it does not."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
