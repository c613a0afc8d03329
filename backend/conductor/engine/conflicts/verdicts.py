"""Caches how pairs of triggers affect each other; pairs that differ only in their numbers share a verdict."""

from conductor.domain.conflicts.regions import covers_all_events
from conductor.domain.triggers.base import TriggerBase
from conductor.engine.conflicts.changes import judge_value_triggers
from conductor.engine.conflicts.play import BehaviourDifference, PairComparison, PairVerdict
from conductor.engine.conflicts.presses import NoteTranslation, find_press_difference, judge_taps


class VerdictCache:
    """Judges pairs of triggers, whatever their devices, channels and conditions, and caches the verdicts."""

    def __init__(self) -> None:
        self.played = 0
        """How many pairs have been judged by playing gestures, which is slow."""
        self._presses: dict[tuple[TriggerBase, TriggerBase, bool], BehaviourDifference | None] = {}
        self._verdicts: dict[tuple[TriggerBase, TriggerBase, bool], PairVerdict | None] = {}

    def judge_pair(
        self, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
    ) -> PairVerdict | None:
        """Return how the trigger `culprit` affects the trigger `victim`, or None if it has no effect on it."""
        key = (culprit, victim, culprit_first)
        if key not in self._verdicts:
            self._verdicts[key] = self._compute_verdict(
                culprit, victim, culprit_first=culprit_first
            )
        return self._verdicts[key]

    def _compute_verdict(
        self, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
    ) -> PairVerdict | None:
        kinds = (culprit.gesture, victim.gesture)
        if kinds == ("change", "change"):
            return judge_value_triggers(culprit, victim) if culprit_first else None
        if "change" in kinds:
            return None
        if culprit.gesture == "tap":
            taken = culprit_first and victim.gesture == "tap"
            return judge_taps(culprit, victim) if taken else None
        if culprit.gesture == "release" and not (culprit_first and victim.gesture == "release"):
            return None
        return self._judge_press_triggers(culprit, victim, culprit_first=culprit_first)

    def _judge_press_triggers(
        self, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
    ) -> PairVerdict | None:
        notes = NoteTranslation(culprit, victim)
        key = (notes.first, notes.later, culprit_first)
        if key not in self._presses:
            self.played += 1
            self._presses[key] = find_press_difference(*key[:2], culprit_first=culprit_first)
        found = self._presses[key]
        if found is None:
            return None
        gesture = notes.translate_gesture(found.gesture)
        if notes.has_merged_notes:
            stage = PairComparison.build(culprit, victim, culprit_first=culprit_first)
            found = stage.compare_gesture(gesture) or found
        same = culprit_first and culprit.gesture == victim.gesture
        is_dead = same and covers_all_events(culprit, victim)
        return PairVerdict(gesture, found.is_effect_missing(), is_dead, _get_delay_ms(found))


def _get_delay_ms(found: BehaviourDifference) -> float:
    if found.is_effect_missing() or not found.alone:
        return 0.0
    return round(found.beside[0].time_ms - found.alone[0].time_ms, 3)
