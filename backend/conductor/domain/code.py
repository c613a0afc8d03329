"""Defines the tasks and results of code that a model writes and the page runs in a sandbox."""

from typing import Literal

from pydantic import Field

from conductor.domain.value import Value

Language = Literal["python", "javascript"]
MAX_CODE_CHARACTERS = 100_000
MAX_OUTPUT_CHARACTERS = 20_000
MAX_RESULT_CHARACTERS = 4_000
MAX_ERROR_CHARACTERS = 4_000
TIME_LIMIT_MS = 10_000


class CodeTask(Value):
    """A piece of code to run, as it is sent to the page."""

    run_id: str
    language: Language
    code: str
    time_limit_ms: int = TIME_LIMIT_MS
    output_limit: int = MAX_OUTPUT_CHARACTERS


class CodeRun(Value):
    """The result of a code run. Its texts come from the code and are untrusted."""

    output: str = Field(default="", max_length=MAX_OUTPUT_CHARACTERS + 200)
    """The printed text."""
    result: str | None = Field(default=None, max_length=MAX_RESULT_CHARACTERS + 200)
    """The value of the last expression, in the notation of the language, or None."""
    error: str | None = Field(default=None, max_length=MAX_ERROR_CHARACTERS + 200)
    """The error message, or None."""
    timed_out: bool = False
    """Whether the code was stopped at the time limit."""
    duration_ms: int = Field(default=0, ge=0)
