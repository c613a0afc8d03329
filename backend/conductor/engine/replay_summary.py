"""Summarizes in a few sentences which actions a change would add, remove or move in time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames, format_name_with_numbers
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.row_phrases import format_mapping_action
from conductor.domain.trace import Candidate

MAX_SENTENCES = 6
_EVENT_NOUNS = {
    "note_on": ("press", "presses"),
    "button_down": ("press", "presses"),
    "note_off": ("release", "releases"),
    "button_up": ("release", "releases"),
    "osc": ("message", "messages"),
    "sysex": ("message", "messages"),
    "program_change": ("message", "messages"),
}
_CONTROL_NOUNS = {
    "cc": "CC {}",
    "poly_pressure": "the pressure of note {}",
    "channel_pressure": "the pressure",
    "pitch_bend": "the pitch bend",
    "program_change": "program {}",
    "gamepad_trigger": "the {} trigger",
    "sysex": "SysEx",
    "osc": "{}",
    "axis": "{}",
}


class ChangedFiring(Protocol):
    """A firing that only one of the configs has, or that has another time under the other."""

    @property
    def time(self) -> float: ...
    @property
    def source(self) -> int: ...
    @property
    def candidate(self) -> Candidate: ...
    @property
    def event(self) -> InputEvent: ...
    @property
    def mode(self) -> str: ...


class ReplayOutcome:
    """The firings that differ between the playbacks under the old and the new config."""

    def __init__(self) -> None:
        self.unchanged = 0
        self.kept: set[int] = set()
        """The inputs that do under the new config what they did under the old one, if not more."""
        self.appear: list[ChangedFiring] = []
        self.vanish: list[ChangedFiring] = []
        self.moved: list[tuple[ChangedFiring, ChangedFiring]] = []

    def pair_swapped_firings(
        self,
    ) -> tuple[list[tuple[ChangedFiring, ChangedFiring]], list[ChangedFiring], list[ChangedFiring]]:
        """Return the firings that differ, in three groups: pairs, only appearing and only disappearing.

        A pair is a firing that disappears and a firing that appears for the same input.
        """
        vanished: dict[int, list[ChangedFiring]] = {}
        for firing in self.vanish:
            vanished.setdefault(firing.source, []).append(firing)
        swapped: list[tuple[ChangedFiring, ChangedFiring]] = []
        extra: list[ChangedFiring] = []
        for firing in self.appear:
            before = vanished.get(firing.source)
            if before and firing.source >= 0:
                swapped.append((before.pop(0), firing))
            else:
                extra.append(firing)
        return swapped, extra, [firing for firings in vanished.values() for firing in firings]


def summarize_outcome(
    outcome: ReplayOutcome,
    seconds: float,
    *,
    listed: int,
    left_out: int,
    names: ControlNames = NO_CONTROL_NAMES,
) -> str:
    """Return a few sentences about what the new config would change.

    `seconds` is the duration of the compared input; pauses between its parts do not count. The input
    may be from another day.
    """
    swapped, extra, lost = outcome.pair_swapped_firings()
    total = len(swapped) + len(extra) + len(lost) + len(outcome.moved)
    result = _build_summary_sentence(total, outcome.unchanged)
    sentences = [f"In {_format_duration(seconds)} of recorded input: {result}"]
    groups = Counter(_build_sentence_parts(outcome, swapped, extra, lost, names))
    ranked = sorted(groups.items(), key=lambda item: -item[1])
    for (nouns, rest), count in ranked[:MAX_SENTENCES]:
        sentences.append(f"{count} {nouns[count > 1]} {rest}.")
    rest_count = sum(count for _, count in ranked[MAX_SENTENCES:])
    if rest_count:
        sentences.append(
            f"{rest_count} more {'change' if rest_count == 1 else 'changes'} like these."
        )
    sentences += _describe_omitted_firings(outcome, listed, left_out)
    return " ".join(sentences)


def explain_unpredicted_time(problems: Sequence[tuple[str, float]], *, is_all: bool) -> str | None:
    """Return a sentence about the part of the recording that allows no prediction, or None if there is none.

    `problems` contains the reason and the duration in seconds for each such part.
    """
    if not problems:
        return None
    reason = problems[-1][0]
    if is_all:
        return f"Cannot tell what would change: {reason}."
    seconds = sum(duration_s for _, duration_s in problems)
    return f"Cannot tell for {_format_duration(seconds)} of it: {reason}."


def _format_duration(seconds: float) -> str:
    if seconds >= 90:
        return f"{round(seconds / 60)} minutes"
    whole = max(1, round(seconds))
    return "1 second" if whole == 1 else f"{whole} seconds"


def _build_summary_sentence(total: int, unchanged: int) -> str:
    if total:
        return f"{total} action{'s' if total > 1 else ''} would change."
    if not unchanged:
        return "no action fires, neither before nor after."
    fire = "actions fire" if unchanged > 1 else "action fires"
    return f"nothing would change, {unchanged} {fire} as before."


SentencePart = tuple[tuple[str, str], str]
"""A part of a sentence in the summary: a noun in singular and plural, and what is said about it."""


def _build_sentence_parts(
    outcome: ReplayOutcome,
    swapped: list[tuple[ChangedFiring, ChangedFiring]],
    extra: Iterable[ChangedFiring],
    lost: Iterable[ChangedFiring],
    names: ControlNames,
) -> Iterator[SentencePart]:
    for before, after in swapped:
        firing, other = _label_actions(before, after)
        yield (
            _name_event(before),
            f"of {_name_control(before, names)} that did {firing} would now do {other}",
        )
    for firing in lost:
        yield (
            _name_event(firing),
            f"of {_name_control(firing, names)} that did {_label_firing(firing)} would now do nothing",
        )
    swapped_sources = {after.source for _, after in swapped}
    for firing in extra:
        where = f" in mode {firing.mode}" if firing.mode else ""
        acts_already = firing.source in outcome.kept or firing.source in swapped_sources
        would = "would now also do" if acts_already else "would now do"
        yield (
            _name_event(firing),
            f"of {_name_control(firing, names)}{where} {would} {_label_firing(firing)}",
        )
    shifts: dict[tuple[SentencePart, str], list[float]] = {}
    for before, after in outcome.moved:
        shift_ms = (after.time - before.time) * 1000
        tail = (
            _name_event(before),
            f"of {_name_control(before, names)} would do {_label_firing(before)}",
        )
        shifts.setdefault((tail, "later" if shift_ms > 0 else "earlier"), []).append(abs(shift_ms))
    for ((nouns, rest), word), shift_list in shifts.items():
        low, high = round(min(shift_list)), round(max(shift_list))
        by = f"{low} ms" if low == high else f"{low} to {high} ms"
        yield from [(nouns, f"{rest} {by} {word}")] * len(shift_list)


def _name_event(firing: ChangedFiring) -> tuple[str, str]:
    return _EVENT_NOUNS.get(firing.event.kind, ("move", "moves"))


def _name_control(firing: ChangedFiring, names: ControlNames) -> str:
    event = firing.event
    control_class = CONTROL_CLASS.get(event.kind, "note")
    noun = _CONTROL_NOUNS.get(control_class, control_class + " {}").format(event.number)
    return format_name_with_numbers(names.find_event_control_name(event), noun)


def _label_firing(firing: ChangedFiring) -> str:
    description = firing.candidate.ref.mapping.description
    return f"`{description}`" if description else _format_action(firing)


def _format_action(firing: ChangedFiring) -> str:
    return format_mapping_action(firing.candidate.ref.mapping)


def _label_actions(before: ChangedFiring, after: ChangedFiring) -> tuple[str, str]:
    """Return labels that distinguish two actions: their descriptions, their phrases, or a
    note that details differ.
    """
    for describe in (_label_firing, _format_action):
        if describe(before) != describe(after):
            return describe(before), describe(after)
    return _label_firing(before), "it with other details"


def _describe_omitted_firings(outcome: ReplayOutcome, listed: int, left_out: int) -> Iterator[str]:
    for count, verb in (
        (len(outcome.appear), "appear"),
        (len(outcome.vanish), "vanish"),
        (len(outcome.moved), "move"),
    ):
        if count > listed:
            yield f"{count - listed:,} more that {verb} are not listed."
    if left_out > 0:
        yield f"{left_out:,} older events were left out."
