"""Code that a model has run in the window's sandbox: what is asked for, and what came of it."""

from typing import Literal

from pydantic import Field

from conductor.domain.value import Value

Language = Literal["python", "javascript"]
CODE_AT_MOST = 100_000
OUTPUT_AT_MOST = 20_000
RESULT_AT_MOST = 4_000
ERROR_AT_MOST = 4_000
TIME_LIMIT_MS = 10_000


class CodeTask(Value):
    """One run, as the page that does it is told."""

    run_id: str
    language: Language
    code: str
    time_limit_ms: int = TIME_LIMIT_MS
    output_limit: int = OUTPUT_AT_MOST


class CodeRun(Value):
    """How a run ended. All texts are the code's own words."""

    output: str = Field(default="", max_length=OUTPUT_AT_MOST + 200)
    """What it printed."""
    result: str | None = Field(default=None, max_length=RESULT_AT_MOST + 200)
    """The value of its last expression, as the language writes it."""
    error: str | None = Field(default=None, max_length=ERROR_AT_MOST + 200)
    """How it failed."""
    timed_out: bool = False
    """It was ended because its time was up."""
    duration_ms: int = Field(default=0, ge=0)
