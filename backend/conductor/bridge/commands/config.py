"""Commands about the config: read it, preview changes, and save or undo changes of the user."""

from typing import Any

from pydantic import Field

from conductor.bridge.changing import commit_changes as commit_changes
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty, Proof, RowDescription
from conductor.bridge.prove import prove_changes
from conductor.bridge.registry import command, query
from conductor.bridge.rows import describe_all_rows, describe_trigger_and_action, map_scopes
from conductor.bridge.services import Call
from conductor.domain.actions import TopLevelAction
from conductor.domain.change_kinds import Change
from conductor.domain.config import Config, Mapping
from conductor.domain.plan import Overlap
from conductor.domain.scopes import parse_scope
from conductor.domain.triggers import Trigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.validate import Problem
from conductor.domain.value import Value
from conductor.errors import StaleConfig

MAX_CHANGES_PER_COMMIT = 1_000


class ConfigView(Value):
    """The running config with its problems, warnings and conflicts."""

    config: Config
    hash: str
    path: str
    text: str
    problems: tuple[Problem, ...]
    """The errors in the config file on disk, because of which the engine runs an earlier config."""
    warnings: tuple[Problem, ...]
    overlaps: tuple[Overlap, ...]
    rows: dict[str, list[RowDescription]]
    """The descriptions of the mappings by scope: `mode:<name>`, `profile:<name>` or `global`."""
    start_mode: str


class PreviewChangesParams(Value):
    changes: tuple[Change, ...] = Field(min_length=1, max_length=MAX_CHANGES_PER_COMMIT)
    base_hash: str | None = None
    finds_missing: bool = False
    """Whether the warnings name the devices and programs that are missing for the changes, as in a plan."""


class CommitChangesParams(Value):
    changes: tuple[Change, ...] = Field(min_length=1, max_length=MAX_CHANGES_PER_COMMIT)
    base_hash: str
    reason: str = Field(max_length=500)


class CommitResult(Value):
    hash: str


class HistoryStepResult(Value):
    hash: str
    reason: str
    """The description of the change that was undone or redone."""


class MissingParams(Value):
    action: TopLevelAction | None = None
    """The action to check. Null: the actions of all mappings of the running config."""


class MissingPart(Value):
    scope: str | None
    """The place of the mapping, or null for the action in the parameters."""
    index: int | None
    message: str


class MissingPartList(Value):
    parts: tuple[MissingPart, ...]


class DescribeDraftParams(Value):
    trigger: Trigger | None = None
    action: TopLevelAction | None = None


@query("config.get")
def get_config(params: Empty, call: Call) -> ConfigView:
    """Return the running config with the descriptions of its mappings, its conflicts and its problems."""
    store = call.services.config.store
    snapshot = store.snapshot
    return ConfigView(
        config=snapshot.config,
        hash=snapshot.hash,
        path=str(store.path),
        text=snapshot.text,
        problems=store.problems,
        warnings=snapshot.report.warnings,
        overlaps=call.services.config.prover.find_conflicts(snapshot.config),
        rows=describe_all_rows(snapshot.config, call.services.names.get_names()),
        start_mode=snapshot.config.get_start_mode(),
    )


@query("config.preview")
def preview_changes(params: PreviewChangesParams, call: Call) -> Proof:
    """Return what proposed changes would do, without saving them."""
    store = call.services.config.store
    if params.base_hash is not None and params.base_hash != store.config_hash:
        raise StaleConfig("the config has changed since it was read; read it again and retry")
    return prove_changes(params.changes, call.services, finds_missing=params.finds_missing)


@query("config.missing")
def list_missing_parts(params: MissingParams, call: Call) -> MissingPartList:
    """Return the devices, programs, MCP servers and tools that actions use and this computer lacks."""
    config, find = call.services.config.store.current_config, call.services.config.find_missing
    if params.action is not None:
        # the trigger does not matter here
        mapping = Mapping(trigger=NoteTrigger(note=0), action=params.action)
        alone = config.model_copy(
            update={"modes": (), "profiles": (), "global_mappings": (mapping,)}
        )
        found = dict.fromkeys(problem.message for problem in find(alone))
        return MissingPartList(
            parts=tuple(MissingPart(scope=None, index=None, message=text) for text in found)
        )
    messages: dict[str, dict[str, None]] = {}
    for problem in find(config):
        messages.setdefault(problem.path.partition(".action")[0], {})[problem.message] = None
    return MissingPartList(
        parts=tuple(
            MissingPart(scope=scope, index=index, message=text)
            for scope, rows in map_scopes(config).items()
            for index in range(len(rows))
            for text in messages.get(_format_path(config, scope, index), ())
        )
    )


def _format_path(config: Config, scope: str, index: int) -> str:
    """Return the path of a mapping in the config file, as in the problems of a config."""
    kind, name = parse_scope(scope)
    if kind == "global":
        return f"global_mappings[{index}]"
    owners = config.modes if kind == "mode" else config.profiles
    number = next(number for number, owner in enumerate(owners) if owner.name == name)
    return f"{kind}s[{number}].mappings[{index}]"


@command("config.commit", "config_change")
def commit_user_changes(params: CommitChangesParams, call: Call) -> CommitResult:
    """Save all changes of the user, or none if the config has changed since it had the hash `base_hash`."""
    return CommitResult(hash=commit_changes(call, params.changes, params.base_hash, params.reason))


@command("config.undo", "config_change")
def undo_change(params: Empty, call: Call) -> HistoryStepResult:
    """Undo the last change of the config, and return a description of the change."""
    return _undo_or_redo(call, "undo")


@command("config.redo", "config_change")
def redo_change(params: Empty, call: Call) -> HistoryStepResult:
    """Redo the change of the config that was undone last, and return its description."""
    return _undo_or_redo(call, "redo")


def _undo_or_redo(call: Call, direction: str) -> HistoryStepResult:
    services = call.services
    require_writable(services)
    from conductor.storage.history import History

    history = History(services.config.database())
    before = history.latest()
    services.config.store.undo_change() if direction == "undo" else services.config.store.redo_change()
    version: Any = before if direction == "undo" else history.latest()
    return HistoryStepResult(
        hash=services.config.store.config_hash, reason="" if version is None else version.reason
    )


@query("config.describe")
def describe_draft_row(params: DescribeDraftParams, call: Call) -> RowDescription:
    """Return the description of a mapping that the user is still editing.

    An invalid field of the draft is reported as an error of that field.
    """
    return describe_trigger_and_action(
        params.trigger, params.action, call.services.names.get_names()
    )
