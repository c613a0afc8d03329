"""Groups played controls into blocks and banks, and determines how many columns a block has."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from conductor.domain.device_profile import Role
from conductor.profiles.played_controls import ControlEvents

PAUSE_S, LONGER = 1.5, 3.0
"""A block ends with a pause of at least this length and this multiple of the usual pause."""
PAD_COLUMNS = {4: 4, 6: 3, 8: 4, 9: 3, 12: 4, 16: 4, 25: 5, 32: 8, 36: 6, 40: 8, 64: 8}
KEYBOARDS = (25, 37, 49, 61, 73, 76, 88)
LONGEST_ROW = 9


class Step(NamedTuple):
    """A request that the player was shown, and the time at which it was shown."""

    at: float
    role: Role | None = None
    bank: int = 1


@dataclass
class ControlBlock:
    """Controls of one kind that were played one after another."""

    controls: list[ControlEvents]
    step: Step | None = None
    bank: int = 0
    """The bank number from 1; 0 without banks."""

    @property
    def size(self) -> int:
        return len(self.controls)

    @property
    def shape(self) -> tuple[str, bool, int]:
        """The properties that a block has in common with the same block of other banks."""
        first = self.controls[0]
        return first.key.message, first.turns, self.size

    @property
    def is_pads(self) -> bool:
        """Whether the controls of the block are velocity-sensitive."""
        hits = {strength for one in self.controls for strength in one.strengths}
        first = self.controls[0]
        is_program = first.key.message == "program_change"
        return not first.turns and (is_program or (len(hits) > 1 and first.key.message != "button"))

    def numbers(self) -> list[int | str]:
        return [one.key.number for one in self.controls]


def group_blocks(
    controls: Sequence[ControlEvents], steps: Sequence[Step] = ()
) -> list[ControlBlock]:
    """Group controls into blocks with their banks.

    `controls` must be in the order they were touched.
    """
    kinds: dict[object, list[ControlEvents]] = {}
    for one in controls:
        kinds.setdefault(
            (one.key.message, one.turns, one.relative, _find_step(one, steps)), []
        ).append(one)
    usual = [_measure_gap(controls, index) for index in range(1, len(controls))]
    pause = max(PAUSE_S, LONGER * median(usual)) if usual else PAUSE_S
    runs = [run for same in kinds.values() for run in _split_into_runs(same, pause)]
    found = [ControlBlock(run, _find_step(run[0], steps)) for run in runs]
    found.sort(key=lambda block: block.controls[0].first)
    if steps:
        _number_requested_banks(found)
    else:
        _guess_banks(found)
    return found


def _find_step(control: ControlEvents, steps: Sequence[Step]) -> Step | None:
    before = [step for step in steps if step.at <= control.first]
    return before[-1] if before else None


def _split_into_runs(same: Sequence[ControlEvents], pause: float) -> list[list[ControlEvents]]:
    """Split controls of one kind where the player paused, or where channel and number both change."""
    found = [[same[0]]]
    for index, control in enumerate(same[1:], 1):
        fits = _belongs_to_run if _measure_gap(same, index) < pause else _is_pause_within_grid
        if fits(control, found[-1]):
            found[-1].append(control)
        else:
            found.append([control])
    return found


def _measure_gap(same: Sequence[ControlEvents], index: int) -> float:
    """Return the seconds from the last event of the preceding controls to a control's first event."""
    at = same[index].first
    before = (event.time for one in same[:index] for event in one.events if event.time < at)
    return at - max(before, default=at)


def _belongs_to_run(control: ControlEvents, run: Sequence[ControlEvents]) -> bool:
    """Return whether a control has the run's channel, or the run's number on another channel."""
    channels = {one.key.channel for one in run}
    numbers = {one.key.number for one in run}
    if control.key.channel in channels:
        return len(channels) == 1
    return numbers == {control.key.number}


def _is_pause_within_grid(control: ControlEvents, run: Sequence[ControlEvents]) -> bool:
    """Return whether the player only hesitated within a grid of pads.

    The control has the next number, and the number of pads before the pause is not a usual grid size.
    """
    last, size = run[-1].key, len(run)
    follows = isinstance(last.number, int) and control.key.number == last.number + 1
    same = last.channel == control.key.channel
    return (
        follows
        and same
        and size > 2
        and size not in PAD_COLUMNS
        and ControlBlock(list(run)).is_pads
    )


def _number_requested_banks(found: Sequence[ControlBlock]) -> None:
    """Number the banks by the requests that the player was shown, if these name more than one bank."""
    if any(block.step and block.step.bank > 1 for block in found):
        again = {block.shape for block in found if block.step and block.step.bank > 1}
        for block in found:
            if block.step and block.shape in again:
                block.bank = block.step.bank


def _guess_banks(found: Sequence[ControlBlock]) -> None:
    """Number the banks if all controls, or only the pads, were played repeatedly in the same order."""
    shapes = [block.shape for block in found]
    for page in range(1, len(found) // 2 + 1):
        whole = len(found) % page == 0 and all(
            one == shapes[at % page] for at, one in enumerate(shapes)
        )
        if whole and (len(set(shapes[:page])) > 1 or (page == 1 and found[0].is_pads)):
            for at, block in enumerate(found):
                block.bank = at // page + 1
            return
    _guess_pad_banks(found)


def _guess_pad_banks(found: Sequence[ControlBlock]) -> None:
    runs = [list(run) for _, run in groupby(found, key=lambda block: block.shape)]
    counts = {len(run) for run in runs if len(run) > 1 and run[0].is_pads}
    for run in runs:
        if len(run) in counts:
            for at, block in enumerate(run):
                block.bank = at + 1


def count_columns(block: ControlBlock, role: Role) -> int:
    """Return the number of columns, derived from jumps in the control numbers or from usual grid sizes."""
    numbers, size = block.numbers(), block.size
    jumps = [
        at
        for at, (one, after) in enumerate(pairwise(numbers), 1)
        if isinstance(one, int) and isinstance(after, int) and after - one != 1
    ]
    every = jumps[0] if jumps else 0
    if every > 1 and size % every == 0 and jumps == list(range(every, size, every)):
        return every
    if role == "key" or (role != "pad" and size <= LONGEST_ROW):
        return size
    usual = PAD_COLUMNS.get(size) if role == "pad" else None
    fitting = [count for count in range(8, 3, -1) if size % count == 0]
    return usual or (fitting[0] if fitting else size)


def is_keyboard(block: ControlBlock) -> bool:
    """Return whether a block is a keyboard: a chromatic sequence of notes as long as a usual keyboard."""
    numbers = [number for number in block.numbers() if isinstance(number, int)]
    in_row = all(after - one == 1 for one, after in pairwise(numbers))
    return block.shape[0] == "note" and in_row and block.size in KEYBOARDS
