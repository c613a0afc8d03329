"""Drafts a plan from a proposal: the new config text, its diff and its warnings."""

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from conductor.base.invisible_chars import visible_line
from conductor.config.diff import Diff, compare
from conductor.config.document import edit
from conductor.config.guards import guard_warnings, touches_guards
from conductor.config.parse import read, refusal
from conductor.config.store import ConfigStore, Snapshot
from conductor.config.versions import Version
from conductor.domain.actions import Action, parts_of
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.text import TextAction
from conductor.domain.change_kinds import Change
from conductor.domain.changes import apply, describe
from conductor.domain.config import Config
from conductor.domain.form_rules import (
    Changes,
    changed_actions,
    ends_line,
    reasons_for_window,
    types_and_enters,
)
from conductor.domain.keys import cmd_key
from conductor.domain.phrases import action_words
from conductor.domain.plan import (
    ActionRequest,
    HistoryStep,
    PlanKind,
    PlannedChange,
    Proposal,
    RestoreVersion,
    Step,
    SysexRequest,
)
from conductor.domain.plugin_phrases import call_words
from conductor.domain.row_phrases import action_phrase
from conductor.domain.validate import Report, check, placed
from conductor.errors import ConfigError

PROGRAMS = ("Shell", "Launch")
COMMAND_SHOWN = 2_000


class Draft(NamedTuple):
    """The result of a proposal: the old and the new config with everything that a plan shows of them."""

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
    step: Step | None = None


def draft(proposal: Proposal, snapshot: Snapshot, store: ConfigStore) -> Draft:
    """Draft a proposal.

    Raises:
        ConfigError: the proposal is not possible, or changes nothing.
        NothingToUndo: there is no version to undo or redo to.
    """
    match proposal:
        case HistoryStep(word):
            text = store.version(word).text
            new = read(text, store.path.name).config
            what = "Undo the last change" if word == "undo" else "Redo what was undone"
            row = PlannedChange(change_type=word.capitalize(), mode=None, description=what)
            return _changed(snapshot, new, text, (row,), proposal, step=word)
        case RestoreVersion(version_id):
            return _restored(store.version(version_id), snapshot, store, proposal)
        case ActionRequest(action):
            what = f"Do once: {action_phrase(action, _cmd(snapshot))}"
            warnings = ("This acts at once, in whichever window is active.", *_calls_once(action))
            return _one_time("action", "PreviewAction", what, snapshot, warnings)
        case SysexRequest(port, data):
            shown = data[:32].hex(" ").upper() + (" ..." if len(data) > 32 else "")
            what = f"Send {len(data)} bytes of SysEx to {port}: {shown}"
            warnings = ("SysEx can change what is stored in a device.",)
            return _one_time("sysex", "SendSysex", what, snapshot, warnings)
        case _:
            return _edited(proposal, snapshot)


def _restored(
    version: Version, snapshot: Snapshot, store: ConfigStore, proposal: RestoreVersion
) -> Draft:
    new = read(version.text, store.path.name).config
    what = visible_line(
        f"Restore version {version.id} of {version.at:%Y-%m-%d %H:%M} ({version.reason[:80]})"
    )
    row = PlannedChange(change_type="Restore", mode=None, description=what)
    return _changed(snapshot, new, version.text, (row,), proposal, step="restore")


def _edited(changes: tuple[Change, ...], snapshot: Snapshot) -> Draft:
    new = snapshot.config
    for change in changes:
        new = apply(new, change)
    report = check(new)
    if not report.valid:
        raise refusal("the changed config", report.errors)
    rows = tuple(
        PlannedChange(
            change_type=change.change_type,
            mode=_mode(change),
            description=visible_line(describe(change, _cmd(snapshot))),
        )
        for change in changes
    )
    text = edit(snapshot.text, snapshot.config, new)
    return _changed(snapshot, new, text, rows, changes, report=report)


def _changed(
    snapshot: Snapshot,
    new: Config,
    text: str,
    rows: tuple[PlannedChange, ...],
    proposal: Changes,
    step: Step | None = None,
    report: Report | None = None,
) -> Draft:
    """Return the draft of a new config; `report` is the result of its check, if it was checked already."""
    if text == snapshot.text:
        raise ConfigError("this changes nothing: the config is already like that")
    old = snapshot.config
    diff = compare(snapshot.text, text)
    return Draft(
        kind="config",
        description="; ".join(row.description for row in rows[:5])
        + (f"; and {len(rows) - 5} more" if len(rows) > 5 else ""),
        rows=rows,
        old=old,
        new=new,
        text=text,
        diff=diff.text,
        is_cut=diff.is_cut,
        window_only=_window_only(old, new, proposal, diff),
        warnings=tuple(
            visible_line(text)
            for text in (
                *guard_warnings(old, new),
                *_new_programs(old, new),
                *_new_typing(old, new),
                *_new_warnings(snapshot.report, check(new) if report is None else report),
            )
        ),
        privileged=touches_guards(old, new) or _lets_run(old, new),
        changes=proposal if type(proposal) is tuple else (),
        step=step,
    )


def _one_time(
    kind: Literal["action", "sysex"],
    change_type: str,
    what: str,
    snapshot: Snapshot,
    warnings: tuple[str, ...],
) -> Draft:
    what = visible_line(what)
    row = PlannedChange(change_type=change_type, mode=None, description=what)
    config = snapshot.config
    return Draft(
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


def _window_only(old: Config, new: Config, changes: Changes, diff: Diff) -> tuple[str, ...]:
    cut = ("its diff is too long to be shown whole",) if diff.is_cut else ()
    return (*reasons_for_window(old, new, changes), *cut)


def _cmd(snapshot: Snapshot) -> str:
    return cmd_key(snapshot.config.settings.engine.cmd_key)


def _mode(change: Change) -> str | None:
    name = getattr(change, "mode", None)
    return name if isinstance(name, str) and name else None


def _new_warnings(old: Report, new: Report) -> Iterator[str]:
    """Yield the warnings that the old config did not have. Compares messages: paths may have shifted."""
    before = Counter(problem.message for problem in old.warnings)
    for problem in new.warnings:
        if before[problem.message] > 0:
            before[problem.message] -= 1
        else:
            yield problem.text()


def _new_programs(old: Config, new: Config) -> Iterator[str]:
    before = Counter(_programs(old))
    yield from (Counter(_programs(new)) - before).elements()


def _programs(config: Config) -> Iterator[str]:
    for _, mapping in placed(config):
        for action in parts_of(mapping.action):
            if action.type in PROGRAMS:
                yield f"This mapping runs a program: {_in_full(action)}"
            elif isinstance(action, PluginAction):
                what = call_words(action.to_plain())
                yield f"This mapping calls {what}; once applied, the control does so without asking"


def _in_full(action: Action) -> str:
    """Return a command with all its arguments, so that a warning hides none of them."""
    plain = action.to_plain()
    words = plain["argv"] if action.type == "Shell" else [plain["app"], *plain.get("args", ())]
    text = f"{action.type} {shlex.join(words)}"
    left_out = len(text) - COMMAND_SHOWN
    return text if left_out <= 0 else f"{text[:COMMAND_SHOWN]} ... and {left_out} more characters"


def _lets_run(old: Config, new: Config) -> bool:
    """Return whether a control would run a command that it does not run in the old config."""
    parts = (part for action in changed_actions(old, new) for part in parts_of(action))
    return any(part.runs_command() for part in parts)


def _new_typing(old: Config, new: Config) -> Iterator[str]:
    before = Counter(_typing(old))
    yield from (Counter(_typing(new)) - before).elements()


def _typing(config: Config) -> Iterator[str]:
    for _, mapping in placed(config):
        for action in parts_of(mapping.action):
            if isinstance(action, TextAction) and ends_line(action):
                what = action_words(action.to_plain())
                yield f"{what} ends a line or has invisible characters: a terminal would run what it types"
        if types_and_enters(mapping.action):
            yield "This mapping types and presses Enter, which could run a command line"


def _calls_once(action: Action) -> Iterator[str]:
    for part in parts_of(action):
        if isinstance(part, PluginAction):
            yield f"It calls {call_words(part.to_plain())}."
