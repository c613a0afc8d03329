"""Defines the Shell action, which runs a program directly, without a shell in between."""

import shlex
from typing import Any, Literal

from pydantic import Field, model_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports


class ShellAction(ActionBase):
    """Runs a program with arguments; off until `settings.engine.allow_shell` is true."""

    blocking = True
    type: Literal["Shell"] = "Shell"
    argv: tuple[str, ...] = Field(min_length=1, max_length=64, json_schema_extra={"format": "argv"})
    """The program and its arguments. A `command` text is split as a shell would, but no shell runs."""
    timeout_s: float = Field(default=10.0, gt=0, le=600)
    """The time limit in seconds, after which the program is terminated."""

    @model_validator(mode="before")
    @classmethod
    def _split_command(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or "command" not in raw or "argv" in raw:
            return raw
        rest = {key: item for key, item in raw.items() if key != "command"}
        command = raw["command"]
        if isinstance(command, list | tuple):
            return {**rest, "argv": command}
        if not isinstance(command, str):
            raise ValueError("command must be a text")  # noqa: TRY004
        try:
            return {**rest, "argv": shlex.split(command)}
        except ValueError as error:
            raise ValueError(
                f"command has unbalanced quotes or a trailing backslash: {error}"
            ) from None

    def runs_command(self) -> bool:
        return True

    def run(self, fire: Fire, ports: Ports) -> None:
        stop = fire.cancelled
        ports.programs.run(self.argv, self.timeout_s, stop.is_set if stop else lambda: False)
