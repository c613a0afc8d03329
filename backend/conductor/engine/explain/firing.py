"""What came of a mapping that fired: what it did, what failed, or why its action had nothing to do."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from conductor.domain.actions import parts_of
from conductor.domain.actions.flow import DelayAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.config import Config
from conductor.domain.explanation import ExplainedOutcome, FiredMapping
from conductor.domain.phrases import action_words
from conductor.domain.reasons import kind_of, render
from conductor.domain.trace import Candidate, Effect, MappingRef, Trace
from conductor.engine.explain.story import Story, place

Failure = dict[str, Any]
"""As the recorder keeps it."""
SHOWN_AT_MOST = 5
_FLOW = ("Sequence", "Delay", "Repeat", "Conditional")


class Fired(NamedTuple):
    """A mapping that fired, told in one sentence."""

    ref: MappingRef
    outcome: ExplainedOutcome
    text: str
    remedy: str

    def shown(self) -> FiredMapping:
        """Return it as explanations show it."""
        return FiredMapping(
            mapping=self.ref.name(),
            scope=self.ref.scope,
            index=self.ref.index,
            outcome=self.outcome,
            text=self.text,
        )


class Firings:
    """Describes what came of each mapping that fired in one gesture."""

    def __init__(
        self,
        story: Story,
        failures: Sequence[Failure],
        config: Config | None,
        *,
        is_running: bool,
    ) -> None:
        self._story = story
        self._failures = failures
        self._config = config
        self._is_running = is_running

    def describe(self, candidate: Candidate) -> Fired:
        """Describe what came of one mapping."""
        ref = candidate.ref
        name, reason = ref.name(), render(candidate.reason)
        failed = self._failed(ref)
        done = [
            effect
            for trace, effect in self._story.effects(ref)
            if effect.kind != "release" and not self._changes_nothing(trace, effect)
        ]
        if failed:
            return self._describe_failure(ref, reason, done, failed)
        skipped = self._skipped(ref)
        if done:
            text = f"`{name}` did {_words(done)} ({reason})"
            if skipped:
                text += f"; {skipped[0]}, so that part was not done"
            return Fired(ref, "acted", text, "")
        if skipped:
            text = f"`{name}` fired ({reason}), but {skipped[0]}, so nothing was done"
            return Fired(ref, "no_effect", text, skipped[1])
        return self._without_effect(ref, name, reason)

    def _describe_failure(
        self, ref: MappingRef, reason: str, done: list[Effect], failed: list[Failure]
    ) -> Fired:
        plain = [one["action"] for one in failed]
        worked = [effect for effect in done if effect.action.to_plain() not in plain]
        name = ref.name()
        what = f"`{name}` fired ({reason})"
        if worked:
            what = f"`{name}` did {_words(worked)} ({reason})"
        whys = "; ".join(f"{action_words(one['action'])} failed: {one['reason']}" for one in failed)
        return Fired(ref, "failed", f"{what}, but {whys}", "")

    def _without_effect(self, ref: MappingRef, name: str, reason: str) -> Fired:
        action = ref.mapping.action
        head = f"`{name}` fired ({reason})"
        for trace in self._story.traces:
            if trace.note is not None and ref in trace.fired and kind_of(trace.note) == "no_effect":
                return Fired(ref, "no_effect", f"{head}, but {render(trace.note)}", "")
        parts = list(parts_of(action))
        leaves = [part for part in parts if part.type not in _FLOW]
        delays = [part.duration_ms for part in parts if isinstance(part, DelayAction)]
        if not leaves:
            text = f"{head}: its action only waits, {sum(delays)} ms, and does nothing else"
            return Fired(ref, "no_effect", text, "give the mapping something to do after it waits")
        if isinstance(action, ModeChangeAction):
            return Fired(ref, "no_effect", f"{head}, but {self._same_mode(ref)}", "")
        if self._is_running:
            text = f"{head}; it waits first, and {action_words(action.to_plain())} goes on"
            return Fired(ref, "running", text, "")
        if delays:
            return Fired(ref, "no_effect", f"{head}, but was stopped before it did anything", "")
        return Fired(ref, "no_effect", f"{head}, but its action had nothing to do", "")

    def _same_mode(self, ref: MappingRef) -> str:
        mode = next((t.mode for t in self._story.traces if ref in t.fired), self._story.first.mode)
        return f"mode {mode} was active already"

    def _changes_nothing(self, trace: Trace, effect: Effect) -> bool:
        """Return whether a ModeChange met the mode that it asks for, or was turned down."""
        action = effect.action
        if effect.kind != "mode" or not isinstance(action, ModeChangeAction):
            return False
        if trace.note is not None and kind_of(trace.note) == "no_effect":
            return True
        match action.behaviour:
            case "switch" | "momentary":
                return (action.mode or trace.mode) == trace.mode
            case "next" | "previous":
                return self._config is not None and len(self._config.modes) == 1
            case _:
                return False

    def _skipped(self, ref: MappingRef) -> tuple[str, str] | None:
        """Return the condition of a Conditional that did nothing, and what would make it hold."""
        found = [
            unmet
            for trace in self._story.traces
            for skipped, unmet in trace.skipped
            if place(skipped) == place(ref)
        ]
        if not found:
            return None
        return f"its condition was not met: {found[0]}, and {found[0].was()}", found[0].remedy()

    def _failed(self, ref: MappingRef) -> list[Failure]:
        numbers = {trace.sequence for trace in self._story.traces}
        return [
            one
            for one in self._failures
            if one["sequence"] in numbers and (one["scope"], one["index"]) == place(ref)
        ]


def _words(effects: list[Effect]) -> str:
    told = list(
        dict.fromkeys(
            ("hold " if effect.kind == "press" else "")
            + action_words(effect.action.done(effect.fire))
            for effect in effects
        )
    )
    more = len(told) - SHOWN_AT_MOST
    return ", ".join(told[:SHOWN_AT_MOST]) + (f" and {more} more" if more > 0 else "")
