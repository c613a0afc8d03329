"""Explains one event by the whole gesture that it belongs to: what acted, or the nearest reason why not.

Pure: from the traces of the gesture, and the facts that only the moment of asking knows, such as what is
still open and what failed.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from conductor.domain.events import CONTROL_CLASS
from conductor.domain.explanation import ExplainedOutcome, Explanation, GestureMoment, WhyNot
from conductor.domain.phrases import event_words
from conductor.domain.reasons import (
    CONSUMED,
    HALF_CHORD,
    OTHER_GESTURE,
    SHADOWED,
    Reason,
    kind_of,
    render,
)
from conductor.domain.trace import Candidate, MappingRef, Trace
from conductor.engine.explain.facts import Facts, facts_of
from conductor.engine.explain.firing import Fired, Firings
from conductor.engine.explain.obstacles import NEARNESS, Absent, absent, why_not
from conductor.engine.explain.order import (
    arrived_to_wait,
    as_judged,
    holds_decided,
    judging,
    still_waiting,
    waits_told,
    why_dropped,
)
from conductor.engine.explain.remedies import remedy
from conductor.engine.explain.story import PRESSES, Story, follow

REASONS_AT_MOST = 3
MOMENTS_AT_MOST = 50
_WORDS = {"fired": "fired", "waiting": "waits", "shadowed": "lost", "no": "did not fire"}


def explain(trace: Trace, traces: Sequence[Trace], facts: Facts) -> Explanation:
    """Explain the gesture that a trace belongs to, from the traces that are remembered."""
    return _Explainer(follow(traces, trace), traces, facts).explain()


class _Explainer:
    """The explanation of one gesture while it is put together."""

    def __init__(self, story: Story, traces: Sequence[Trace], facts: Facts) -> None:
        self._story = story
        self._traces = traces
        self._facts = facts
        self._verdicts = story.verdicts()
        self._is_open = bool(story.presses.intersection(facts.open))
        fired = [one for one in self._verdicts.values() if one.outcome == "fired"]
        self._scene = as_judged(story)
        config = facts.config_at(self._scene.sequence)
        running = bool(story.presses.intersection(facts.running))
        firings = Firings(story, facts.failures, config, is_running=running)
        self._fired = [firings.describe(one) for one in fired]
        self._config = config

    def explain(self) -> Explanation:
        if self._story.first.event.kind not in CONTROL_CLASS and not self._verdicts:
            return self._made("info", self._about_no_control(), [])
        if self._is_queued():
            assert self._story.first.note is not None
            return self._made("undecided", f"not decided yet: {render(self._story.first.note)}", [])
        waits = self._waits()
        if self._fired:
            return self._acted(waits)
        if waits:
            verdict = f"not decided yet: {'; '.join(waits)}"
            return self._made("undecided", verdict, self._in_force())
        return self._nothing_fired()

    def _is_queued(self) -> bool:
        """Return whether the event still waits for the gesture before it, which goes first."""
        note = self._story.first.note
        return note is not None and self._story.first.sequence in self._facts.waiting

    def _acted(self, waits: list[str]) -> Explanation:
        outcomes: list[ExplainedOutcome] = [one.outcome for one in self._fired]
        order: tuple[ExplainedOutcome, ...] = ("failed", "acted", "running", "no_effect")
        outcome: ExplainedOutcome = next(each for each in order if each in outcomes)
        verdict = "; ".join([*(one.text for one in self._fired), *waits_told(self._story)])
        if waits:
            verdict += f"; not decided yet: {'; '.join(waits)}"
        advice = next((one.remedy for one in self._fired if one.remedy), None)
        return self._made(outcome, verdict, self._in_force(), advice)

    def _nothing_fired(self) -> Explanation:
        found = sorted([*self._in_force_ranked(), *self._absent_ranked()], key=_nearest)
        reasons = [why for _, why in found[:REASONS_AT_MOST]]
        if not reasons:
            quiet = self._silence()
            parts = [f"no mapping listens to this control{quiet}", *self._elsewhere()]
            return self._made("unmapped", "; ".join(parts), [])
        parts = [f"`{one.mapping}` did not fire: {one.text}" for one in reasons]
        left = len(found) - len(reasons)
        if left:
            parts.append(f"{left} more did not fire either")
        parts += self._elsewhere()
        return self._made("not_fired", "; ".join(parts), reasons, reasons[0].what_would_change)

    def _elsewhere(self) -> list[str]:
        """Return what else is true of a gesture that fired nothing: it waited, or decided another one."""
        decided = holds_decided(self._story, self._traces)
        return [
            *waits_told(self._story),
            *(f"it decided for the hold `{one.ref.name()}`" for one in decided),
        ]

    def _silence(self) -> str:
        note = self._story.first.note
        silent = note is not None and kind_of(note) in ("muted", "paused")
        return f", and {render(note)}" if note is not None and silent else ""

    def _about_no_control(self) -> str:
        trace = self._story.first
        if trace.note is not None:
            return render(trace.note)
        if trace.event.kind == "app":
            profile = (
                f"profile {trace.profile} was active" if trace.profile else "no profile was active"
            )
            return f"{event_words(trace.event)}; until then {profile}"
        if trace.event.kind in ("timer", "completed"):
            return "nothing was due"
        return f"no mapping can listen to {event_words(trace.event)}"

    def _waits(self) -> list[str]:
        """Return each mapping that is still undecided, with what decides it."""
        if self._is_open:
            return list(still_waiting(self._story, self._facts.now))
        release = self._story.release()
        queued = release is not None and release.sequence in self._facts.waiting
        if queued and release is not None and release.note is not None:
            why = f": the release {render(release.note)}"
        elif release is None and self._story.first.event.kind in PRESSES:
            why = " acts when the control is let go"
        else:
            return []
        return [f"`{one.ref.name()}`{why}" for one in self._on_release()]

    def _on_release(self) -> list[Absent]:
        """Return the mappings in force that the release is for, while it was not judged."""
        return [
            one
            for one in self._absent()
            if not one.obstacles and one.ref.mapping.trigger.gesture == "release"
        ]

    def _in_force(self) -> list[WhyNot]:
        return [why for _, why in self._in_force_ranked()]

    def _in_force_ranked(self) -> Iterator[tuple[int, WhyNot]]:
        """Return the mappings that were judged and did not fire; each has one reason."""
        for candidate in self._verdicts.values():
            if candidate.outcome == "fired" or (candidate.outcome == "waiting" and self._is_open):
                continue
            reason = self._stale(candidate) if candidate.outcome == "waiting" else candidate.reason
            advice = remedy(candidate.ref, reason)
            yield 1, why_not(candidate.ref, kind_of(reason), _text(reason), advice)
        if self._fired:
            for one in self._absent():
                if not one.obstacles and self._chord_fired() is not None:
                    yield 1, why_not(one.ref, "chord_consumed", _text((CONSUMED,)), "")

    def _stale(self, candidate: Candidate) -> Reason:
        """Return why a mapping that waited came to nothing, when the engine had no word for it."""
        dropped = [c.reason for c in self._verdicts.values() if kind_of(c.reason) == "dropped"]
        if dropped:
            return dropped[0]
        trigger = candidate.ref.mapping.trigger
        chord = self._chord_fired()
        if trigger.gesture == "chord" and "other_press" not in self._kinds_fired():
            if chord is not None and set(trigger.controls()) <= set(
                chord.mapping.trigger.controls()
            ):
                return (SHADOWED, chord.name())
            return (HALF_CHORD, getattr(trigger, "timeout_ms", 0))
        if chord is not None:
            return (CONSUMED,)
        if self._fired:
            return (OTHER_GESTURE, self._fired[0].ref.name())
        return ("it waited, and what decided it is not remembered any more",)

    def _kinds_fired(self) -> set[str]:
        fired = (one for one in self._verdicts.values() if one.outcome == "fired")
        return {kind_of(one.reason) for one in fired}

    def _chord_fired(self) -> MappingRef | None:
        chords = (
            one.ref
            for one in self._verdicts.values()
            if one.outcome == "fired" and one.ref.mapping.trigger.gesture == "chord"
        )
        return next(chords, None)

    def _absent(self) -> list[Absent]:
        if self._config is None or self._scene.event.kind not in CONTROL_CLASS:
            return []
        return absent(self._config, self._scene, self._app(), self._verdicts)

    def _absent_ranked(self) -> Iterator[tuple[int, WhyNot]]:
        for one in self._absent():
            if one.obstacles:
                yield len(one.obstacles), one.why()
            else:
                yield 1, self._not_judged(one)

    def _not_judged(self, one: Absent) -> WhyNot:
        """Return why a mapping in force was not asked: its half of the gesture was missing."""
        release = self._story.release()
        for arrival in (self._story.first, release):
            if (
                arrival is not None
                and arrived_to_wait(arrival)
                and not judging(self._story, arrival)
            ):
                text = f"it was dropped while it waited: {why_dropped(self._traces, arrival)}"
                return why_not(one.ref, "dropped", text, "play it again")
        if self._story.first.event.kind not in PRESSES:
            text = "a release does nothing by itself, and Conductor has not seen the press"
            return why_not(one.ref, "release_alone", text, "press it, then let go of it")
        if release is not None and release.note is not None and not arrived_to_wait(release):
            return why_not(
                one.ref, kind_of(release.note), f"at the release, {render(release.note)}", ""
            )
        text = "what decided it is not remembered any more"
        return why_not(one.ref, "other", text, "play it again")

    def _app(self) -> tuple[str, str, str] | None:
        """Return the app that was in front, as far as it is remembered."""
        at = self._scene.sequence
        apps = [t.event.data for t in self._traces if t.event.kind == "app" and t.sequence < at]
        return apps[-1] if apps else None

    def _made(
        self,
        outcome: ExplainedOutcome,
        verdict: str,
        reasons: list[WhyNot],
        advice: str | None = None,
    ) -> Explanation:
        return Explanation(
            outcome=outcome,
            verdict=verdict,
            fired=tuple(one.shown() for one in self._fired),
            reasons=tuple(reasons),
            what_would_change=advice or None,
            timeline=tuple(self._timeline()),
        )

    def _timeline(self) -> Iterator[GestureMoment]:
        began = self._story.first.event.time
        judged: dict[int, list[str]] = {}
        for trace, one in self._story.candidates():
            text = f"`{one.ref.name()}` {_WORDS[one.outcome]}: {_text(one.reason)}"
            judged.setdefault(trace.sequence, []).append(text)
        for trace in self._story.traces[:MOMENTS_AT_MOST]:
            yield GestureMoment(
                sequence=trace.sequence,
                time_ms=round((trace.event.time - began) * 1000, 3),
                text=_moment(trace),
                decisions=tuple(judged.get(trace.sequence, ())),
            )


def _nearest(ranked: tuple[int, WhyNot]) -> tuple[int, int]:
    return ranked[0], NEARNESS[ranked[1].kind]


def _text(reason: Reason) -> str:
    """Return a reason as a sentence, with what was true instead of a condition."""
    text = render(reason)
    was: Any = getattr(reason[1], "was", None) if len(reason) > 1 else None
    return f"{text}, and {was()}" if kind_of(reason) == "condition" and was is not None else text


def _moment(trace: Trace) -> str:
    words = {"timer": "a time limit was reached", "completed": "an action was completed"}
    return words.get(trace.event.kind) or event_words(trace.event)


__all__ = ["Facts", "Fired", "explain", "facts_of"]
