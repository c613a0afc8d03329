"""The result of one check of `conductor doctor`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The name of a check, whether it passed, the details, and a remedy if it failed."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
