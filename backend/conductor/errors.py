"""All errors that Conductor raises on purpose.

    ConductorError
    ├── ConfigError            config_invalid      the file cannot be used; carries the problems
    │   └── ConfigNotFound     config_not_found    the file does not exist
    ├── StaleConfig            config_stale        the file changed since it was read
    │   └── PlanStale          plan_stale          the config changed since the plan was made
    ├── UnknownPlan            plan_not_found      no plan has this id
    ├── PlanExpired            plan_expired        the plan was not approved in time
    ├── NotApproved            not_approved        the user has not approved it, or has rejected it
    │   └── ExamplesFailed     examples_failed     the plan does not do what its examples expect
    ├── UnknownTool            tool_not_found      no tool has this name, or it is switched off
    ├── InvalidParams          params_invalid      a tool or command was called with invalid arguments
    ├── RateLimited            rate_limited        too many calls in a short time
    ├── NotAllowed             not_allowed         this caller may not do this
    ├── NothingToUndo          nothing_to_undo     there is no earlier or later version
    ├── UnknownMode            mode_not_found      no mode has this name
    ├── UnknownDevice          device_not_found    no device has this alias
    ├── UnknownConversation    conversation_not_found  no conversation has this id
    ├── UnknownSkill           skill_not_found     no Agent Skill has this name, or it has no such file
    ├── UnknownServer          server_not_found    no MCP server of this name is in mcp.json
    ├── UnknownApproval        approval_not_found  no approval request has this id, or it is closed
    ├── BadSkill               skill_invalid       an Agent Skill is invalid, or must not be used
    ├── BadScript              script_invalid      a line of an event script cannot be parsed
    ├── ActionFailed           action_failed       an action failed; the message says why
    │   └── ActionCancelled    action_cancelled    an action was cancelled before it finished
    ├── NotAvailable           not_available       this machine or session lacks something
    ├── NotRunning             not_running         no Conductor is running
    └── AlreadyRunning         already_running     a Conductor is already running with this home folder

`code` is stable and safe to match on; the message is for people and says what to do next. `number` is the
JSON-RPC error code; other programs use the same numbers, so `code` is always sent with it.
"""

from typing import Any, ClassVar


class ConductorError(Exception):
    """The base of all errors that Conductor raises on purpose. Programs match on `code`."""

    code: ClassVar[str] = "error"
    number: ClassVar[int] = -32600


class ConfigError(ConductorError):
    """The config is invalid. Each of `problems` has a `path`, a `message` and a `line`."""

    code = "config_invalid"
    number = -32602

    def __init__(self, message: str = "", problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class ConfigNotFound(ConfigError):
    code = "config_not_found"
    number = -32000


class StaleConfig(ConductorError):
    code = "config_stale"
    number = -32004


class PlanStale(StaleConfig):
    code = "plan_stale"


class UnknownPlan(ConductorError):
    code = "plan_not_found"
    number = -32602


class PlanExpired(ConductorError):
    code = "plan_expired"
    number = -32003


class NotApproved(ConductorError):
    code = "not_approved"
    number = -32005


class ExamplesFailed(NotApproved):
    code = "examples_failed"


class UnknownTool(ConductorError):
    code = "tool_not_found"
    number = -32601


class InvalidParams(ConductorError):
    code = "params_invalid"
    number = -32602


class RateLimited(ConductorError):
    code = "rate_limited"
    number = -32006


class NotAllowed(ConductorError):
    code = "not_allowed"
    number = -32007


class NothingToUndo(ConductorError):
    code = "nothing_to_undo"


class UnknownMode(ConductorError):
    code = "mode_not_found"
    number = -32001


class UnknownDevice(ConductorError):
    code = "device_not_found"
    number = -32002


class UnknownConversation(ConductorError):
    code = "conversation_not_found"
    number = -32602


class UnknownSkill(ConductorError):
    code = "skill_not_found"
    number = -32602


class UnknownServer(ConductorError):
    code = "server_not_found"
    number = -32602


class UnknownApproval(ConductorError):
    code = "approval_not_found"
    number = -32602


class BadSkill(ConductorError):
    code = "skill_invalid"
    number = -32602


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
