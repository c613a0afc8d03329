"""Turns a proposed change into a plan draft: the new config text, its diff, and the warnings for the user."""

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from conductor.base.invisible_chars import reveal_line
from conductor.base.links import is_url
from conductor.config.diff import TextDiff, compare_texts
from conductor.config.document import edit_document
from conductor.config.guards import changes_guarded_settings, list_guard_warnings
from conductor.config.parse import build_config_error, load_config_with_notes
from conductor.config.problem_places import format_problem
from conductor.config.store import ConfigStore, Snapshot
from conductor.config.versions import Version
from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.text import TextAction
from conductor.domain.change_kinds import Change
from conductor.domain.changes import apply_change, describe_change
from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.form_rules import (
    ProposedChanges,
    find_changed_actions,
    has_line_end,
    list_window_only_reasons,
    types_and_submits,
)
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.phrases import describe_action
from conductor.domain.plan import (
    ActionRequest,
    HistoryStep,
    PlanKind,
    PlannedChange,
    Proposal,
    RestoreStep,
    RestoreVersion,
    SysexRequest,
)
from conductor.domain.plugin_phrases import describe_allowed_call
from conductor.domain.row_phrases import format_action_phrase
from conductor.domain.validate import Report, check_config, iterate_placed_mappings
from conductor.errors import ConfigError

PROGRAM_ACTION_TYPES = ("Shell", "Launch")
MAX_COMMAND_LENGTH = 2_000


class PlanDraft(NamedTuple):
    """A proposed change in a form that can be reviewed: both configs, the new text, the diff and the
    warnings.
    """

    kind: PlanKind
    description: str
    rows: tuple[PlannedChange, ...]
    old: Config
    new: Config
    text: str
    diff: str
    is_cut: bool = False
    window_only: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    privileged: bool = False
    changes: tuple[Change, ...] = ()
    step: RestoreStep | None = None


def build_draft(
    proposal: Proposal,
    snapshot: Snapshot,
    store: ConfigStore,
    names: ControlNames = NO_CONTROL_NAMES,
) -> PlanDraft:
    """Draft a plan for a proposal. `names` are the names of controls that its descriptions use.

    Raises:
        ConfigError: the proposed change is not possible, or changes nothing.
        NothingToUndo: there is no version to undo or redo to.
    """
    match proposal:
        case HistoryStep(word):
            text = store.build_restored_text(store.find_version(word))
            new = load_config_with_notes(text, store.path.name).config
            what = "Undo the last change" if word == "undo" else "Redo what was undone"
            row = PlannedChange(change_type=word.capitalize(), mode=None, description=what)
            return _draft_config(snapshot, new, text, (row,), proposal, step=word)
        case RestoreVersion(version_id):
            return _draft_restored_version(
                store.find_version(version_id), snapshot, store, proposal
            )
        case ActionRequest(action):
            what = f"Do once: {format_action_phrase(action, _get_cmd_key(snapshot))}"
            warnings = (
                "This acts at once, in whichever window is active.",
                *_list_tool_call_warnings(action),
            )
            return _draft_one_time_action("action", "PreviewAction", what, snapshot, warnings)
        case SysexRequest(port, data):
            shown = data[:32].hex(" ").upper() + (" ..." if len(data) > 32 else "")
            what = f"Send {len(data)} bytes of SysEx to {port}: {shown}"
            warnings = ("SysEx can change what is stored in a device.",)
            return _draft_one_time_action("sysex", "SendSysex", what, snapshot, warnings)
        case _:
            return _draft_config_changes(proposal, snapshot, names)


def _draft_restored_version(
    version: Version, snapshot: Snapshot, store: ConfigStore, proposal: RestoreVersion
) -> PlanDraft:
    text = store.build_restored_text(version)
    new = load_config_with_notes(text, store.path.name).config
    what = reveal_line(
        f"Restore version {version.id} of {version.at:%Y-%m-%d %H:%M} ({version.reason[:80]})"
    )
    row = PlannedChange(change_type="Restore", mode=None, description=what)
    return _draft_config(snapshot, new, text, (row,), proposal, step="restore")


def _draft_config_changes(
    changes: tuple[Change, ...], snapshot: Snapshot, names: ControlNames
) -> PlanDraft:
    new, cmd = snapshot.config, _get_cmd_key(snapshot)
    descriptions: list[str] = []
    for change in changes:
        before, new = new, apply_change(new, change)
        descriptions.append(describe_change(change, cmd, names, before))
    report = check_config(new)
    if not report.valid:
        raise build_config_error("the changed config", report.errors)
    rows = tuple(
        PlannedChange(
            change_type=change.change_type,
            mode=_find_mode(change),
            description=reveal_line(description),
        )
        for change, description in zip(changes, descriptions, strict=True)
    )
    text = edit_document(snapshot.text, snapshot.config, new)
    return _draft_config(snapshot, new, text, rows, changes, report=report)


def _draft_config(
    snapshot: Snapshot,
    new: Config,
    text: str,
    rows: tuple[PlannedChange, ...],
    proposal: ProposedChanges,
    step: RestoreStep | None = None,
    report: Report | None = None,
) -> PlanDraft:
    """Return the draft for a new config.

    Pass `report` if the config was already validated, so that it is not validated twice.
    """
    if text == snapshot.text:
        raise ConfigError("this changes nothing: the config is already like that")
    old = snapshot.config
    diff = compare_texts(snapshot.text, text)
    return PlanDraft(
        kind="config",
        description="; ".join(row.description for row in rows[:5])
        + (f"; and {len(rows) - 5} more" if len(rows) > 5 else ""),
        rows=rows,
        old=old,
        new=new,
        text=text,
        diff=diff.text,
        is_cut=diff.is_cut,
        window_only=_list_window_reasons(old, new, proposal, diff),
        warnings=tuple(
            reveal_line(text)
            for text in (
                *list_guard_warnings(old, new),
                *_list_new_program_warnings(old, new),
                *_list_new_typing_warnings(old, new),
                *_find_new_warnings(
                    snapshot.report, check_config(new) if report is None else report, new
                ),
            )
        ),
        privileged=changes_guarded_settings(old, new) or _allows_command(old, new),
        changes=proposal if type(proposal) is tuple else (),
        step=step,
    )


def _draft_one_time_action(
    kind: Literal["action", "sysex"],
    change_type: str,
    what: str,
    snapshot: Snapshot,
    warnings: tuple[str, ...],
) -> PlanDraft:
    what = reveal_line(what)
    row = PlannedChange(change_type=change_type, mode=None, description=what)
    config = snapshot.config
    return PlanDraft(
        kind,
        what,
        (row,),
        config,
        config,
        snapshot.text,
        "",
        warnings=warnings,
        privileged=True,
    )


def _list_window_reasons(
    old: Config, new: Config, changes: ProposedChanges, diff: TextDiff
) -> tuple[str, ...]:
    cut = ("its diff is too long to be shown whole",) if diff.is_cut else ()
    return (*list_window_only_reasons(old, new, changes), *cut)


def _get_cmd_key(snapshot: Snapshot) -> str:
    return resolve_cmd_key(snapshot.config.settings.engine.cmd_key)


def _find_mode(change: Change) -> str | None:
    name = getattr(change, "mode", None)
    return name if isinstance(name, str) and name else None


def _find_new_warnings(old: Report, new: Report, config: Config) -> Iterator[str]:
    """Yield the validation warnings that the new config has and the old config does not have.

    Warnings are compared by message, because the paths may have shifted.
    """
    before = Counter(problem.message for problem in old.warnings)
    for problem in new.warnings:
        if before[problem.message] > 0:
            before[problem.message] -= 1
        else:
            yield format_problem(problem, config)


def _list_new_program_warnings(old: Config, new: Config) -> Iterator[str]:
    before = Counter(_describe_programs(old))
    yield from (Counter(_describe_programs(new)) - before).elements()


def _describe_programs(config: Config) -> Iterator[str]:
    for _, mapping in iterate_placed_mappings(config):
        for action in walk_actions(mapping.action):
            if action.type in PROGRAM_ACTION_TYPES:
                if isinstance(action, LaunchAction) and is_url(action.app):
                    yield f"This mapping opens a link: {_format_full_command(action)}"
                else:
                    yield f"This mapping runs a program: {_format_full_command(action)}"
            elif isinstance(action, PluginAction):
                what = describe_allowed_call(action.to_plain())
                yield f"This mapping calls {what}; once applied, the control does so without asking"


def _format_full_command(action: Action) -> str:
    """Return a command with all of its arguments; only a very long command is shortened, with a note."""
    plain = action.to_plain()
    words = plain["argv"] if action.type == "Shell" else [plain["app"], *plain.get("args", ())]
    text = shlex.join(words)
    left_out = len(text) - MAX_COMMAND_LENGTH
    return (
        text if left_out <= 0 else f"{text[:MAX_COMMAND_LENGTH]} ... and {left_out} more characters"
    )


def _allows_command(old: Config, new: Config) -> bool:
    """Return whether the new config lets a control run a command that no control could run before."""
    parts = (part for action in find_changed_actions(old, new) for part in walk_actions(action))
    return any(part.runs_command() for part in parts)


def _list_new_typing_warnings(old: Config, new: Config) -> Iterator[str]:
    before = Counter(_describe_typing(old))
    yield from (Counter(_describe_typing(new)) - before).elements()


def _describe_typing(config: Config) -> Iterator[str]:
    for _, mapping in iterate_placed_mappings(config):
        for action in walk_actions(mapping.action):
            if isinstance(action, TextAction) and has_line_end(action):
                what = describe_action(action.to_plain())
                yield f"{what} ends a line or has invisible characters: a terminal would run what it types"
        if types_and_submits(mapping.action):
            yield "This mapping types and presses Enter, which could run a command line"


def _list_tool_call_warnings(action: Action) -> Iterator[str]:
    for part in walk_actions(action):
        if isinstance(part, PluginAction):
            yield f"It calls {describe_allowed_call(part.to_plain())}."
