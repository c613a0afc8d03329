"""What a replay found, in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.phrases import action_words
from conductor.domain.trace import Candidate

SENTENCES = 6
_NOUNS = {
    "note_on": ("press", "presses"),
    "button_down": ("press", "presses"),
    "note_off": ("release", "releases"),
    "button_up": ("release", "releases"),
    "osc": ("message", "messages"),
    "sysex": ("message", "messages"),
    "program_change": ("message", "messages"),
}
_CONTROLS = {
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


class Changed(Protocol):
    """A firing that is not what it was."""

    @property
    def time(self) -> float: ...
    @property
    def source(self) -> int: ...
    @property
    def candidate(self) -> Candidate: ...
    @property
    def event(self) -> InputEvent: ...


class Outcome:
    """How two runs differ."""

    def __init__(self) -> None:
        self.unchanged = 0
        self.appear: list[Changed] = []
        self.vanish: list[Changed] = []
        self.moved: list[tuple[Changed, Changed]] = []

    def swaps(self) -> tuple[list[tuple[Changed, Changed]], list[Changed], list[Changed]]:
        """Return what takes the place of what for the same event, what only appears and only vanishes."""
        lost: dict[int, list[Changed]] = {}
        for one in self.vanish:
            lost.setdefault(one.source, []).append(one)
        swapped: list[tuple[Changed, Changed]] = []
        extra: list[Changed] = []
        for one in self.appear:
            before = lost.get(one.source)
            if before and one.source >= 0:
                swapped.append((before.pop(0), one))
            else:
                extra.append(one)
        return swapped, extra, [one for each in lost.values() for one in each]


def summary(outcome: Outcome, seconds: float, *, listed: int, left_out: int) -> str:
    """Say in a few sentences what would change."""
    swapped, extra, lost = outcome.swaps()
    total = len(swapped) + len(extra) + len(lost) + len(outcome.moved)
    sentences = [f"In the last {_duration(seconds)}: {_headline(total, outcome.unchanged)}"]
    groups = Counter(_tails(outcome, swapped, extra, lost))
    ranked = sorted(groups.items(), key=lambda item: -item[1])
    for (nouns, rest), count in ranked[:SENTENCES]:
        sentences.append(f"{count} {nouns[count > 1]} {rest}.")
    rest_count = sum(count for _, count in ranked[SENTENCES:])
    if rest_count:
        sentences.append(
            f"{rest_count} more {'change' if rest_count == 1 else 'changes'} like these."
        )
    sentences += _cuts(outcome, listed, left_out)
    return " ".join(sentences)


def cannot_tell_words(problems: Sequence[tuple[str, float]], *, is_all: bool) -> str | None:
    """Return for what part of the recording nothing is predicted, and why; None when all is told.

    `problems` holds a reason and a duration in seconds for each part.
    """
    if not problems:
        return None
    reason = problems[-1][0]
    if is_all:
        return f"Cannot tell what would change: {reason}."
    seconds = sum(duration_s for _, duration_s in problems)
    return f"Cannot tell for {_duration(seconds)} of it: {reason}."


def _duration(seconds: float) -> str:
    if seconds >= 90:
        return f"{round(seconds / 60)} minutes"
    whole = max(1, round(seconds))
    return "second" if whole == 1 else f"{whole} seconds"


def _headline(total: int, unchanged: int) -> str:
    if total:
        return f"{total} action{'s' if total > 1 else ''} would change."
    if not unchanged:
        return "no action fires, neither before nor after."
    fire = "actions fire" if unchanged > 1 else "action fires"
    return f"nothing would change, {unchanged} {fire} as before."


Tail = tuple[tuple[str, str], str]
"""The noun, single and plural, and the rest of a sentence."""


def _tails(
    outcome: Outcome,
    swapped: list[tuple[Changed, Changed]],
    extra: Iterable[Changed],
    lost: Iterable[Changed],
) -> Iterator[Tail]:
    for before, after in swapped:
        one, other = _labels(before, after)
        yield _noun(before), f"of {_control(before)} that did {one} would now do {other}"
    for one in lost:
        yield _noun(one), f"of {_control(one)} that did {_label(one)} would now do nothing"
    for one in extra:
        yield _noun(one), f"of {_control(one)} would now also do {_label(one)}"
    shifts: dict[tuple[Tail, str], list[float]] = {}
    for before, after in outcome.moved:
        shift_ms = (after.time - before.time) * 1000
        tail = _noun(before), f"of {_control(before)} would do {_label(before)}"
        shifts.setdefault((tail, "later" if shift_ms > 0 else "earlier"), []).append(abs(shift_ms))
    for ((nouns, rest), word), shift_list in shifts.items():
        low, high = round(min(shift_list)), round(max(shift_list))
        by = f"{low} ms" if low == high else f"{low} to {high} ms"
        yield from [(nouns, f"{rest} {by} {word}")] * len(shift_list)


def _noun(one: Changed) -> tuple[str, str]:
    return _NOUNS.get(one.event.kind, ("move", "moves"))


def _control(one: Changed) -> str:
    control_class = CONTROL_CLASS.get(one.event.kind, "note")
    return _CONTROLS.get(control_class, control_class + " {}").format(one.event.number)


def _label(one: Changed) -> str:
    description = one.candidate.ref.mapping.description
    return f"`{description}`" if description else _words(one)


def _words(one: Changed) -> str:
    return action_words(one.candidate.ref.mapping.action.to_plain())


def _labels(before: Changed, after: Changed) -> tuple[str, str]:
    """Tell two actions apart: by description, by their words, or by saying that details differ."""
    for tell in (_label, _words):
        if tell(before) != tell(after):
            return tell(before), tell(after)
    return _label(before), "it with other details"


def _cuts(outcome: Outcome, listed: int, left_out: int) -> Iterator[str]:
    for count, verb in (
        (len(outcome.appear), "appear"),
        (len(outcome.vanish), "vanish"),
        (len(outcome.moved), "move"),
    ):
        if count > listed:
            yield f"{count - listed:,} more that {verb} are not listed."
    if left_out > 0:
        yield f"{left_out:,} events were left out, to keep this quick."
