"""Explains an event and its whole gesture: what fired, or the most relevant reason why nothing fired.

The explanation is a pure function of the gesture's traces and of the current facts, such as
pending presses and failures.
"""

from collections.abc import Iterator, Sequence

from conductor.domain.condition_facts import UnmetCondition
from conductor.domain.events import CONTROL_CLASS
from conductor.domain.explanation import ExplainedOutcome, Explanation, GestureMoment, WhyNot
from conductor.domain.phrases import describe_event
from conductor.domain.reasons import (
    BECAME_OTHER_GESTURE,
    CONSUMED_BY_CHORD,
    INCOMPLETE_CHORD,
    SHADOWED_BY_MAPPING,
    Reason,
    get_reason_kind,
    render_reason,
)
from conductor.domain.trace import Candidate, MappingRef, Trace
from conductor.engine.explain.facts import EngineFacts
from conductor.engine.explain.firing import FiringDescriber
from conductor.engine.explain.obstacles import (
    RANK_BY_REASON_KIND,
    InactiveMapping,
    explain_unmatched_mapping,
    find_inactive_mappings,
)
from conductor.engine.explain.order import (
    build_judged_trace,
    describe_queue_times,
    describe_undecided_mappings,
    find_drop_reason,
    find_judging_trace,
    list_early_holds,
    was_event_queued,
)
from conductor.engine.explain.remedies import suggest_remedy
from conductor.engine.explain.story import PRESS_EVENT_KINDS, GestureTraces, collect_gesture

MAX_LISTED_REASONS = 3
MAX_TIMELINE_MOMENTS = 50
_OUTCOME_WORDS = {"fired": "fired", "waiting": "waits", "shadowed": "lost", "no": "did not fire"}


def explain_event(trace: Trace, traces: Sequence[Trace], facts: EngineFacts) -> Explanation:
    """Return the explanation of the gesture that an event belongs to, from all recorded traces."""
    return _GestureExplainer(collect_gesture(traces, trace), traces, facts).explain_gesture()


class _GestureExplainer:
    """Builds the explanation of one gesture from its traces."""

    def __init__(self, story: GestureTraces, traces: Sequence[Trace], facts: EngineFacts) -> None:
        self._story = story
        self._traces = traces
        self._facts = facts
        self._verdicts = story.find_verdicts()
        self._is_open = bool(story.presses.intersection(facts.open))
        fired = [verdict for verdict in self._verdicts.values() if verdict.outcome == "fired"]
        self._judged_trace = build_judged_trace(story)
        config = facts.get_config_at(self._judged_trace.sequence)
        running = bool(story.presses.intersection(facts.running))
        firings = FiringDescriber(story, facts.failures, config, is_running=running)
        self._fired = [firings.describe_firing(verdict) for verdict in fired]
        self._config = config

    def explain_gesture(self) -> Explanation:
        if self._story.first_trace.event.kind not in CONTROL_CLASS and not self._verdicts:
            return self._build_explanation("info", self._describe_other_event(), [])
        if self._is_still_queued():
            assert self._story.first_trace.note is not None
            return self._build_explanation(
                "undecided", f"not decided yet: {render_reason(self._story.first_trace.note)}", []
            )
        waits = self._describe_undecided_mappings()
        if self._fired:
            return self._explain_fired(waits)
        if waits:
            verdict = f"not decided yet: {'; '.join(waits)}"
            return self._build_explanation("undecided", verdict, self._list_mappings_not_fired())
        return self._explain_not_fired()

    def _is_still_queued(self) -> bool:
        """Return whether the event is still in the queue, because an earlier gesture is unfinished."""
        note = self._story.first_trace.note
        return note is not None and self._story.first_trace.sequence in self._facts.waiting

    def _explain_fired(self, waits: list[str]) -> Explanation:
        outcomes: list[ExplainedOutcome] = [fired.outcome for fired in self._fired]
        order: tuple[ExplainedOutcome, ...] = ("failed", "acted", "running", "no_effect")
        outcome: ExplainedOutcome = next(
            outcome_kind for outcome_kind in order if outcome_kind in outcomes
        )
        verdict = "; ".join(
            [*(fired.text for fired in self._fired), *describe_queue_times(self._story)]
        )
        if waits:
            verdict += f"; not decided yet: {'; '.join(waits)}"
        advice = next((fired.remedy for fired in self._fired if fired.remedy), None)
        return self._build_explanation(outcome, verdict, self._list_mappings_not_fired(), advice)

    def _explain_not_fired(self) -> Explanation:
        found = sorted(
            [*self._rank_mappings_not_fired(), *self._rank_inactive_mappings()],
            key=_get_relevance_key,
        )
        reasons = [why for _, why in found[:MAX_LISTED_REASONS]]
        if not reasons:
            silence = self._describe_muted_or_paused()
            parts = [
                f"no mapping listens to this control{silence}",
                *self._describe_other_effects(),
            ]
            return self._build_explanation("unmapped", "; ".join(parts), [])
        parts = [f"`{reason.name}` did not fire: {reason.text}" for reason in reasons]
        more_count = len(found) - len(reasons)
        if more_count:
            parts.append(f"{more_count} more did not fire either")
        parts += self._describe_other_effects()
        return self._build_explanation(
            "not_fired", "; ".join(parts), reasons, reasons[0].what_would_change
        )

    def _describe_other_effects(self) -> list[str]:
        """Return sentences about what a gesture did although nothing fired, such as
        deciding another gesture.
        """
        holds = list_early_holds(self._story, self._traces)
        return [
            *describe_queue_times(self._story),
            *(f"it decided for the hold `{hold.ref.describe()}`" for hold in holds),
        ]

    def _describe_muted_or_paused(self) -> str:
        note = self._story.first_trace.note
        silent = note is not None and get_reason_kind(note) in ("muted", "paused")
        return f", and {render_reason(note)}" if note is not None and silent else ""

    def _describe_other_event(self) -> str:
        trace = self._story.first_trace
        if trace.note is not None:
            return render_reason(trace.note)
        if trace.event.kind == "app":
            profile = (
                f"profile {trace.profile} was active" if trace.profile else "no profile was active"
            )
            return f"{describe_event(trace.event)}; until then {profile}"
        if trace.event.kind in ("timer", "completed"):
            return "nothing was due"
        return f"no mapping can listen to {describe_event(trace.event)}"

    def _describe_undecided_mappings(self) -> list[str]:
        """Return a sentence for each mapping that is not decided yet, with the event or
        time limit that decides it.
        """
        if self._is_open:
            return list(describe_undecided_mappings(self._story, self._facts.now))
        release = self._story.find_release_trace()
        queued = release is not None and release.sequence in self._facts.waiting
        if queued and release is not None and release.note is not None:
            condition = f": the release {render_reason(release.note)}"
        elif release is None and self._story.first_trace.event.kind in PRESS_EVENT_KINDS:
            condition = " acts when the control is released"
        else:
            return []
        return [
            f"`{mapping.ref.describe()}`{condition}" for mapping in self._find_release_listeners()
        ]

    def _find_release_listeners(self) -> list[InactiveMapping]:
        """Return the active mappings that fire when the control is released, if that has not happened yet."""
        return [
            mapping
            for mapping in self._find_inactive_mappings()
            if not mapping.obstacles and mapping.ref.mapping.trigger.gesture == "release"
        ]

    def _list_mappings_not_fired(self) -> list[WhyNot]:
        return [why for _, why in self._rank_mappings_not_fired()]

    def _rank_mappings_not_fired(self) -> Iterator[tuple[int, WhyNot]]:
        """Yield each mapping that was judged and did not fire, with the most important reason and a rank."""
        for candidate in self._verdicts.values():
            if candidate.outcome == "fired" or (candidate.outcome == "waiting" and self._is_open):
                continue
            reason = (
                self._explain_waiting_mapping(candidate)
                if candidate.outcome == "waiting"
                else candidate.reason
            )
            advice = suggest_remedy(candidate.ref, reason)
            yield (
                1,
                explain_unmatched_mapping(
                    candidate.ref,
                    get_reason_kind(reason),
                    _render_reason_with_state(reason),
                    advice,
                ),
            )
        if self._fired:
            for mapping in self._find_inactive_mappings():
                if mapping.is_only_switched_off():
                    yield 1, mapping.combine_reasons()
                elif not mapping.obstacles and self._find_fired_chord() is not None:
                    yield (
                        1,
                        explain_unmatched_mapping(
                            mapping.ref,
                            "chord_consumed",
                            _render_reason_with_state((CONSUMED_BY_CHORD,)),
                            "",
                        ),
                    )

    def _explain_waiting_mapping(self, candidate: Candidate) -> Reason:
        """Return why a mapping that had been waiting did not fire, if the trace contains no reason."""
        dropped = [
            c.reason for c in self._verdicts.values() if get_reason_kind(c.reason) == "dropped"
        ]
        if dropped:
            return dropped[0]
        trigger = candidate.ref.mapping.trigger
        chord = self._find_fired_chord()
        if trigger.gesture == "chord" and "other_press" not in self._list_fired_reason_kinds():
            if chord is not None and set(trigger.list_controls()) <= set(
                chord.mapping.trigger.list_controls()
            ):
                return (SHADOWED_BY_MAPPING, chord.describe())
            return (INCOMPLETE_CHORD, getattr(trigger, "timeout_ms", 0))
        if chord is not None:
            return (CONSUMED_BY_CHORD,)
        if self._fired:
            return (BECAME_OTHER_GESTURE, self._fired[0].ref.describe())
        return ("it waited; what decided it is no longer recorded",)

    def _list_fired_reason_kinds(self) -> set[str]:
        fired = (verdict for verdict in self._verdicts.values() if verdict.outcome == "fired")
        return {get_reason_kind(verdict.reason) for verdict in fired}

    def _find_fired_chord(self) -> MappingRef | None:
        chords = (
            verdict.ref
            for verdict in self._verdicts.values()
            if verdict.outcome == "fired" and verdict.ref.mapping.trigger.gesture == "chord"
        )
        return next(chords, None)

    def _find_inactive_mappings(self) -> list[InactiveMapping]:
        if self._config is None or self._judged_trace.event.kind not in CONTROL_CLASS:
            return []
        return find_inactive_mappings(
            self._config, self._judged_trace, self._get_front_app(), self._verdicts
        )

    def _rank_inactive_mappings(self) -> Iterator[tuple[int, WhyNot]]:
        for mapping in self._find_inactive_mappings():
            if mapping.obstacles:
                yield len(mapping.obstacles), mapping.combine_reasons()
            else:
                yield 1, self._explain_missing_part(mapping)

    def _explain_missing_part(self, mapping: InactiveMapping) -> WhyNot:
        """Return why an active mapping was never judged: an event of its gesture is missing or was dropped."""
        release = self._story.find_release_trace()
        for arrival in (self._story.first_trace, release):
            if (
                arrival is not None
                and was_event_queued(arrival)
                and not find_judging_trace(self._story, arrival)
            ):
                text = f"it was dropped while queued: {find_drop_reason(self._traces, arrival)}"
                return explain_unmatched_mapping(mapping.ref, "dropped", text, "play it again")
        if self._story.first_trace.event.kind not in PRESS_EVENT_KINDS:
            text = "a release does nothing by itself, and Conductor has not seen the press"
            return explain_unmatched_mapping(
                mapping.ref, "release_alone", text, "press it, then release it"
            )
        if release is not None and release.note is not None and not was_event_queued(release):
            return explain_unmatched_mapping(
                mapping.ref,
                get_reason_kind(release.note),
                f"at the release, {render_reason(release.note)}",
                "",
            )
        text = "what decided it is no longer recorded"
        return explain_unmatched_mapping(mapping.ref, "other", text, "play it again")

    def _get_front_app(self) -> tuple[str, str, str] | None:
        """Return the app that was in the foreground during the gesture, or None if that was not recorded."""
        at = self._judged_trace.sequence
        apps = [t.event.data for t in self._traces if t.event.kind == "app" and t.sequence < at]
        return apps[-1] if apps else None

    def _build_explanation(
        self,
        outcome: ExplainedOutcome,
        verdict: str,
        reasons: list[WhyNot],
        advice: str | None = None,
    ) -> Explanation:
        return Explanation(
            outcome=outcome,
            verdict=verdict,
            fired=tuple(fired.to_explanation() for fired in self._fired),
            reasons=tuple(reasons),
            what_would_change=advice or None,
            timeline=tuple(self._build_timeline()),
        )

    def _build_timeline(self) -> Iterator[GestureMoment]:
        began = self._story.first_trace.event.time
        judged: dict[int, list[str]] = {}
        for trace, candidate in self._story.iterate_candidates():
            outcome = _OUTCOME_WORDS[candidate.outcome]
            text = f"`{candidate.ref.describe()}` {outcome}: {_render_reason_with_state(candidate.reason)}"
            judged.setdefault(trace.sequence, []).append(text)
        for trace in self._story.traces[:MAX_TIMELINE_MOMENTS]:
            yield GestureMoment(
                sequence=trace.sequence,
                time_ms=round((trace.event.time - began) * 1000, 3),
                text=_build_gesture_moment(trace),
                decisions=tuple(judged.get(trace.sequence, ())),
            )


def _get_relevance_key(ranked: tuple[int, WhyNot]) -> tuple[int, int]:
    return ranked[0], RANK_BY_REASON_KIND[ranked[1].kind]


def _render_reason_with_state(reason: Reason) -> str:
    """Return a reason as a sentence; for an unmet condition, the sentence also says what the state was."""
    text = render_reason(reason)
    unmet = reason[1] if len(reason) > 1 else None
    if get_reason_kind(reason) == "condition" and isinstance(unmet, UnmetCondition):
        return f"{text}, and {unmet.describe_state()}"
    return text


def _build_gesture_moment(trace: Trace) -> str:
    words = {"timer": "a time limit was reached", "completed": "an action was completed"}
    return words.get(trace.event.kind) or describe_event(trace.event)


__all__ = ["EngineFacts", "explain_event"]
