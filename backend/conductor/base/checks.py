"""The result of one check that `conductor doctor` runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The name of a check, whether it passed, the details, a remedy if it failed, and what else was tried."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    notes: tuple[str, ...] = ()
