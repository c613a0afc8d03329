"""Every error that Conductor raises on purpose.

    ConductorError
    ├── ConfigError            config_invalid      the file cannot be used; carries the problems
    │   └── ConfigNotFound     config_not_found
    ├── StaleConfig            config_stale        the file changed since it was read
    ├── NothingToUndo          nothing_to_undo
    ├── UnknownMode            mode_not_found
    ├── UnknownDevice          device_not_found
    ├── BadScript              script_invalid      an event script line cannot be read
    ├── ActionFailed           action_failed       an action could not be done; says why
    │   └── ActionCancelled    action_cancelled
    ├── NotAvailable           not_available       this machine or session lacks something
    ├── NotRunning             not_running         no running Conductor answers
    └── AlreadyRunning         already_running

`code` is stable and safe to match on; the message is for people and says what to do next.
"""

from typing import ClassVar


class ConductorError(Exception):
    """Base of all; `code` is the stable word for programs."""

    code: ClassVar[str] = "error"


class ConfigError(ConductorError):
    code = "config_invalid"


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
