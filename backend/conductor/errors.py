"""Every error that Conductor raises on purpose.

    ConductorError
    ├── ConfigError            config_invalid      the file cannot be used; carries the problems
    │   └── ConfigNotFound     config_not_found    there is no such file
    ├── StaleConfig            config_stale        the file changed since it was read
    ├── NothingToUndo          nothing_to_undo     no earlier or later version is kept
    ├── UnknownMode            mode_not_found      no mode has this name
    ├── UnknownDevice          device_not_found    no device has this alias
    ├── BadScript              script_invalid      an event script line cannot be read
    ├── ActionFailed           action_failed       an action could not be done; says why
    │   └── ActionCancelled    action_cancelled    an action was stopped before its end
    ├── NotAvailable           not_available       this machine or session lacks something
    ├── NotRunning             not_running         no running Conductor answers
    └── AlreadyRunning         already_running     a Conductor already runs with this home

`code` is stable and safe to match on; the message is for people and says what to do next.
"""

from typing import Any, ClassVar


class ConductorError(Exception):
    """Base of all; `code` is the stable word for programs."""

    code: ClassVar[str] = "error"


class ConfigError(ConductorError):
    """The config cannot be used; `problems` are rows with `path`, `message` and `line`."""

    code = "config_invalid"

    def __init__(self, message: str = "", problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class ConfigNotFound(ConfigError):
    code = "config_not_found"


class StaleConfig(ConductorError):
    code = "config_stale"


class NothingToUndo(ConductorError):
    code = "nothing_to_undo"


class UnknownMode(ConductorError):
    code = "mode_not_found"


class UnknownDevice(ConductorError):
    code = "device_not_found"


class BadScript(ConductorError):
    code = "script_invalid"


class ActionFailed(ConductorError):
    code = "action_failed"


class ActionCancelled(ActionFailed):
    code = "action_cancelled"


class NotAvailable(ConductorError):
    code = "not_available"


class NotRunning(ConductorError):
    code = "not_running"


class AlreadyRunning(ConductorError):
    code = "already_running"
