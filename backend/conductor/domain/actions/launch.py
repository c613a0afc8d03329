"""Defines the Launch action, which opens an app, a file or a link."""

import re
from typing import Any, Literal

from pydantic import Field, model_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports

INTERPRETER_PROGRAMS = frozenset(
    (
        *(
            "ash",
            "awk",
            "bash",
            "busybox",
            "csh",
            "dash",
            "fish",
            "gawk",
            "ksh",
            "mksh",
            "nu",
            "sh",
        ),
        *(
            "tcsh",
            "zsh",
            "bun",
            "deno",
            "java",
            "julia",
            "lua",
            "luajit",
            "node",
            "nodejs",
            "perl",
            "php",
        ),
        *("pypy", "python", "pythonw", "rscript", "ruby", "tclsh", "wish"),
        *("doas", "env", "nohup", "pkexec", "sudo", "xargs", "osascript"),
        *("cmd", "cscript", "mshta", "powershell", "pwsh", "regsvr", "rundll", "wscript"),
    )
)
"""Names of programs that execute code in their arguments; without version numbers and `.exe`."""
_VERSION_SUFFIX = re.compile(r"([-\d.]*)(\.exe)?$")


class LaunchAction(ActionBase):
    """Opens an app, file or link; with `args` it counts as Shell."""

    blocking = True
    type: Literal["Launch"] = "Launch"
    app: str = Field(min_length=1, max_length=1024, pattern=r"^[^\x00]+$")
    """The app by its name or path, the file or the link. An interpreter such as `bash` counts as Shell."""
    args: tuple[str, ...] = Field(default=(), max_length=64)
    """Arguments for the app, one text each. They need `settings.engine.allow_shell`, as Shell does."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        """Accept `application` and `path`, which are older names of the field `app`."""
        if isinstance(raw, dict) and "app" not in raw:
            for older in ("application", "path"):
                if older in raw:
                    rest = {key: item for key, item in raw.items() if key != older}
                    return {**rest, "app": raw[older]}
        return raw

    def runs_command(self) -> bool:
        """Return whether the action has arguments or opens an interpreter; such an action counts as Shell."""
        program = re.split(r"[/\\]", self.app.strip())[-1].casefold()
        return bool(self.args) or _VERSION_SUFFIX.sub("", program) in INTERPRETER_PROGRAMS

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.programs.launch(self.app, self.args)
