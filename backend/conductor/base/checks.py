"""The result of one check that `conductor doctor` runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: whether it passed, the details, and a remedy if it failed."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    notes: tuple[str, ...] = ()
