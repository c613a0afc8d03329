"""Collects which mappings fired during a playback, each with its input and all its
effects, also delayed ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE as PREVIEW
from conductor.domain.renames import Renames
from conductor.domain.trace import Candidate, Effect, Trace
from conductor.engine.effects import resolve_calls
from conductor.engine.playback import Playback

MAX_EFFECTS_PER_FIRING = 500
"""The maximum number of effects that are kept for one firing, because a repetition may never end."""
SAME_TIME_TOLERANCE_MS = 1.0
MODE_CALL_PREFIX = "mode "


@dataclass(slots=True, eq=False)
class PlayedFiring:
    """A mapping that fired during a playback, with the input that caused it and its effects."""

    time: float
    source: int
    """The index of the causing input in its chain; -1 if the input is older than the recording."""
    candidate: Candidate
    event: InputEvent
    effects: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """The effects: for each, the milliseconds after the firing and its system calls as text."""

    mode: str = ""
    """The mode in which a mapping of all modes fired; empty for others, and if there is one mode."""
    is_open: bool = False
    """Whether effects may be missing, because the playback ended before they occurred."""

    def list_calls(self) -> tuple[str, ...]:
        return tuple(call for _, call in self.effects)

    def is_equivalent(self, other: "PlayedFiring") -> bool:
        """Return whether two firings have the same effects after the same delays."""
        shorter, longer = sorted((self, other), key=lambda firing: len(firing.effects))
        is_as_long = len(shorter.effects) == len(longer.effects) or shorter.is_open
        return is_as_long and all(
            call == its_call and abs(after_ms - its_after_ms) <= SAME_TIME_TOLERANCE_MS
            for (after_ms, call), (its_after_ms, its_call) in zip(
                self.effects, other.effects, strict=False
            )
        )


def rename_modes_in_firings(fired: list[PlayedFiring], renames: Renames) -> list[PlayedFiring]:
    """Return firings in which renamed modes have their new names."""
    if not renames.modes:
        return fired

    def rename_call_modes(call: str) -> str:
        name = call.removeprefix(MODE_CALL_PREFIX)
        return call if name == call else f"{MODE_CALL_PREFIX}{renames.get_new_mode(name)}"

    return [
        replace(
            firing,
            effects=[(after_ms, rename_call_modes(call)) for after_ms, call in firing.effects],
        )
        for firing in fired
    ]


class FiringCollector:
    """Collects the firings of a playback; a firing without effects is left out."""

    def __init__(self, played: Playback, config: Config) -> None:
        self.fired: list[PlayedFiring] = []
        self._inputs = played.source_events
        self._inputs_by_trace = played.inputs_by_trace
        self._config = config
        self._by_fire: dict[int, PlayedFiring] = {}
        self._unbound: dict[int, list[PlayedFiring]] = {}
        self._retained_fires: list[Any] = []
        """References to the `Fire` values, so that the ids by which firings are found are not reused."""
        self._calls: dict[tuple[object, ...], str | None] = {}
        for played_trace in played.traces:
            self._add_firings(played_trace.trace)
            for effect in played_trace.trace.effects:
                self._add_effect(
                    effect, played_trace.trace.event.time, played_trace.mode, played_trace.variables
                )
        for run in played.state.runs.values() if played.is_cut else ():
            unfinished = self._by_fire.get(id(run.firing.fire))
            if unfinished is not None:
                unfinished.is_open = True
        self.fired = [played_trace for played_trace in self.fired if played_trace.effects]

    def _add_firings(self, trace: Trace) -> None:
        for candidate in trace.candidates:
            if candidate.outcome == "fired":
                source = self._find_source_index(trace, candidate)
                event = trace.event if source < 0 else self._inputs[source]
                fired = PlayedFiring(trace.event.time, source, candidate, event)
                if candidate.ref.scope == "global" and len(self._config.modes) > 1:
                    fired.mode = trace.mode
                self.fired.append(fired)
                self._unbound.setdefault(id(candidate.ref), []).append(fired)

    def _find_source_index(self, trace: Trace, candidate: Candidate) -> int:
        """Return the index of the input that caused a firing, which for a gesture is the last press."""
        own = trace.sequence if trace.sequence in self._inputs_by_trace else trace.gesture
        presses = candidate.presses or (own,)
        return max(self._inputs_by_trace.get(sequence, -1) for sequence in presses)

    def _add_effect(
        self, effect: Effect, time: float, mode: str, variables: Mapping[str, object]
    ) -> None:
        if effect.ref.scope == PREVIEW:
            return
        fired = self._by_fire.get(id(effect.fire))
        if fired is None:
            waiting = self._unbound.get(id(effect.ref))
            if not waiting:
                return
            fired = self._by_fire[id(effect.fire)] = waiting.pop(0)
            self._retained_fires.append(effect.fire)
        call = self._to_comparable_call(effect, mode, variables)
        if call is not None and len(fired.effects) < MAX_EFFECTS_PER_FIRING:
            fired.effects.append((round((time - fired.time) * 1000, 3), call))

    def _to_comparable_call(
        self, effect: Effect, mode: str, variables: Mapping[str, object]
    ) -> str | None:
        """Return the calls of an effect as text for comparison, or None if the effect fails."""
        if effect.kind == "mode":
            return f"{MODE_CALL_PREFIX}{mode}"
        if effect.kind == "variable":
            name = effect.action.name  # pyright: ignore[reportAttributeAccessIssue]
            return f"variable {name} {variables.get(name)!r}"
        fire = effect.fire
        key = (id(effect.action), effect.kind, fire.value, fire.steps, fire.message)
        if key not in self._calls:
            calls = resolve_calls(effect, self._config)
            self._calls[key] = None if any(call[0] == "fails" for call in calls) else repr(calls)
        return self._calls[key]
