"""Describes what became of a mapping that fired: its effects, its failure, or why it had no effect."""

from collections.abc import Sequence
from typing import NamedTuple

from conductor.domain.actions import walk_actions
from conductor.domain.actions.flow import DelayAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.config import Config
from conductor.domain.explanation import ExplainedOutcome, FiredMapping
from conductor.domain.reasons import get_reason_kind, render_reason
from conductor.domain.row_phrases import format_performed_action
from conductor.domain.trace import Candidate, Effect, MappingRef, Trace
from conductor.domain.wire_rows import FailureRow
from conductor.engine.explain.story import GestureTraces, get_mapping_key

MAX_SHOWN_EFFECTS = 5
_FLOW_ACTIONS = ("Sequence", "Delay", "Repeat", "Conditional")


class FiredDescription(NamedTuple):
    """The result of a mapping that fired: its outcome, a sentence about it, and a remedy if there is one."""

    ref: MappingRef
    outcome: ExplainedOutcome
    text: str
    remedy: str

    def to_explanation(self) -> FiredMapping:
        """Return this result in the form in which an `Explanation` contains it."""
        return FiredMapping(
            mapping=self.ref.get_identifier(),
            scope=self.ref.scope,
            index=self.ref.index,
            outcome=self.outcome,
            text=self.text,
        )


class FiringDescriber:
    """Describes what became of each mapping that fired in a gesture."""

    def __init__(
        self,
        story: GestureTraces,
        failures: Sequence[FailureRow],
        config: Config | None,
        *,
        is_running: bool,
    ) -> None:
        self._story = story
        self._failures = failures
        self._config = config
        self._is_running = is_running

    def describe_firing(self, candidate: Candidate) -> FiredDescription:
        """Return what became of a mapping that fired, with its effects or the reason for having none."""
        ref = candidate.ref
        name, reason = ref.describe(), render_reason(candidate.reason)
        failed = self._find_failures(ref)
        done = [
            effect
            for trace, effect in self._story.list_effects(ref)
            if effect.kind != "release" and not self._has_no_effect(trace, effect)
        ]
        if failed:
            return self._describe_failure(ref, reason, done, failed)
        skipped = self._find_unmet_conditional(ref)
        if done:
            text = f"`{name}` did {_format_effects(done)} ({reason})"
            if skipped:
                text += f"; {skipped[0]}, so that part was not done"
            return FiredDescription(ref, "acted", text, "")
        if skipped:
            text = f"`{name}` fired ({reason}), but {skipped[0]}, so nothing was done"
            return FiredDescription(ref, "no_effect", text, skipped[1])
        return self._describe_missing_effect(ref, name, reason)

    def _describe_failure(
        self, ref: MappingRef, reason: str, done: list[Effect], failed: list[FailureRow]
    ) -> FiredDescription:
        failed_actions = [failure["action"] for failure in failed]
        worked = [effect for effect in done if effect.action.to_plain() not in failed_actions]
        name = ref.describe()
        head = f"`{name}` fired ({reason})"
        if worked:
            head = f"`{name}` did {_format_effects(worked)} ({reason})"
        reasons = "; ".join(
            f"{_format_failed_action(ref, failure)}failed: {failure['reason']}"
            for failure in failed
        )
        return FiredDescription(ref, "failed", f"{head}, but {reasons}", "")

    def _describe_missing_effect(self, ref: MappingRef, name: str, reason: str) -> FiredDescription:
        action = ref.mapping.action
        head = f"`{name}` fired ({reason})"
        for trace in self._story.traces:
            if (
                trace.note is not None
                and ref in trace.fired
                and get_reason_kind(trace.note) == "no_effect"
            ):
                return FiredDescription(
                    ref, "no_effect", f"{head}, but {render_reason(trace.note)}", ""
                )
        parts = list(walk_actions(action))
        leaves = [part for part in parts if part.type not in _FLOW_ACTIONS]
        delays = [part.duration_ms for part in parts if isinstance(part, DelayAction)]
        if not leaves:
            text = f"{head}: its action only waits, {sum(delays)} ms, and does nothing else"
            return FiredDescription(
                ref, "no_effect", text, "give the mapping something to do after it waits"
            )
        if isinstance(action, ModeChangeAction):
            return FiredDescription(
                ref, "no_effect", f"{head}, but {self._describe_active_mode(ref)}", ""
            )
        if self._is_running:
            text = f"{head}; it waits first and then continues"
            return FiredDescription(ref, "running", text, "")
        if delays:
            return FiredDescription(
                ref, "no_effect", f"{head}, but was stopped before it did anything", ""
            )
        return FiredDescription(ref, "no_effect", f"{head}, but its action had nothing to do", "")

    def _describe_active_mode(self, ref: MappingRef) -> str:
        mode = next(
            (t.mode for t in self._story.traces if ref in t.fired), self._story.first_trace.mode
        )
        return f"mode {mode} was active already"

    def _has_no_effect(self, trace: Trace, effect: Effect) -> bool:
        """Return whether a mode change had no effect, because the mode was already active
        or the change was refused.
        """
        action = effect.action
        if effect.kind != "mode" or not isinstance(action, ModeChangeAction):
            return False
        if trace.note is not None and get_reason_kind(trace.note) == "no_effect":
            return True
        match action.behaviour:
            case "switch" | "momentary":
                return (action.mode or trace.mode) == trace.mode
            case "next" | "previous":
                return self._config is not None and len(self._config.modes) == 1
            case _:
                return False

    def _find_unmet_conditional(self, ref: MappingRef) -> tuple[str, str] | None:
        """Return a sentence about the unmet condition of a `Conditional` action, and a
        remedy; None if none was unmet.
        """
        found = [
            unmet
            for trace in self._story.traces
            for skipped, unmet in trace.skipped
            if get_mapping_key(skipped) == get_mapping_key(ref)
        ]
        if not found:
            return None
        return f"its condition was not met: {found[0]}, and {found[0].describe_state()}", found[
            0
        ].describe_remedy()

    def _find_failures(self, ref: MappingRef) -> list[FailureRow]:
        numbers = {trace.sequence for trace in self._story.traces}
        return [
            failure
            for failure in self._failures
            if failure["sequence"] in numbers
            and (failure["scope"], failure["index"]) == get_mapping_key(ref)
        ]


def _format_failed_action(ref: MappingRef, failure: FailureRow) -> str:
    """Return the words before `failed`: which action, if the mapping has other actions too."""
    is_whole = failure["action"] == ref.mapping.action.to_plain()
    return "" if is_whole else f"{format_performed_action(failure['action'])} "


def _format_effects(effects: list[Effect]) -> str:
    phrases = list(
        dict.fromkeys(
            ("hold " if effect.kind == "press" else "")
            + format_performed_action(effect.action.resolve_to_plain(effect.fire))
            for effect in effects
        )
    )
    more = len(phrases) - MAX_SHOWN_EFFECTS
    return ", ".join(phrases[:MAX_SHOWN_EFFECTS]) + (f" and {more} more" if more > 0 else "")
