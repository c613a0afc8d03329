"""Groups controls that were played one after another into blocks and banks, to draw them as a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from conductor.domain.device_profile import ControlRole
from conductor.profiles.played_controls import ControlEvents

MIN_BLOCK_PAUSE_S, BLOCK_PAUSE_FACTOR = 1.5, 3.0
"""The pause that separates two blocks: at least this many seconds, and this many times the median pause."""
COLUMNS_BY_PAD_COUNT = {4: 4, 6: 3, 8: 4, 9: 3, 12: 4, 16: 4, 25: 5, 32: 8, 36: 6, 40: 8, 64: 8}
KEYBOARD_KEY_COUNTS = (25, 37, 49, 61, 73, 76, 88)
MAX_CONTROLS_PER_ROW = 9
MIN_GRID_START = 3
"""The smallest number of pads before a pause that may be the start of a grid."""


class LearnStep(NamedTuple):
    """A step of profile learning: which controls the player is asked to play, and when the step began."""

    at: float
    role: ControlRole | None = None
    bank: int = 1
    turn_right: bool = False
    """Whether the player is asked to turn a knob to the right only, which was played before."""


@dataclass
class ControlBlock:
    """Controls of one kind that were played one after another without a long pause."""

    controls: list[ControlEvents]
    step: LearnStep | None = None
    bank: int = 0
    """The number of the bank, starting at 1; 0 if the controls have no banks."""

    @property
    def control_count(self) -> int:
        return len(self.controls)

    @property
    def bank_signature(self) -> tuple[str, bool, int]:
        """The message, the kind and the number of the controls, which are equal for the
        same block in each bank.
        """
        first = self.controls[0]
        return first.key.message, first.turns, self.control_count

    @property
    def is_velocity_sensitive(self) -> bool:
        """Whether the controls send the strength of a press, like pads, and not only
        on and off, like buttons.
        """
        hits = {strength for control in self.controls for strength in control.strengths}
        first = self.controls[0]
        is_program = first.key.message == "program_change"
        return not first.turns and (is_program or (len(hits) > 1 and first.key.message != "button"))

    def list_control_numbers(self) -> list[int | str]:
        return [control.key.number for control in self.controls]


def group_controls_into_blocks(
    controls: Sequence[ControlEvents], steps: Sequence[LearnStep] = ()
) -> list[ControlBlock]:
    """Return the blocks of a device with the numbers of their banks.

    `controls` must be in the order in which they were played.
    """
    kinds: dict[object, list[ControlEvents]] = {}
    for control in controls:
        kind = (
            control.key.message,
            control.turns,
            control.relative,
            _find_learn_step(control, steps),
        )
        kinds.setdefault(kind, []).append(control)
    gaps = [_measure_pause_before(controls, index) for index in range(1, len(controls))]
    pause = max(MIN_BLOCK_PAUSE_S, BLOCK_PAUSE_FACTOR * median(gaps)) if gaps else MIN_BLOCK_PAUSE_S
    runs = [run for same_kind in kinds.values() for run in _split_same_kind(same_kind, pause)]
    blocks = [ControlBlock(run, _find_learn_step(run[0], steps)) for run in runs]
    blocks.sort(key=lambda block: block.controls[0].played_at)
    if steps:
        _number_requested_banks(blocks)
    else:
        _guess_banks(blocks)
    return blocks


def _find_learn_step(control: ControlEvents, steps: Sequence[LearnStep]) -> LearnStep | None:
    before = [step for step in steps if step.at <= control.played_at]
    return before[-1] if before else None


def _split_same_kind(controls: Sequence[ControlEvents], pause: float) -> list[list[ControlEvents]]:
    ordered = _skip_stray_presses(controls)
    has_stray = ordered != list(controls)
    # After a stray press a player hesitates, even if only one or two pads have been played.
    min_size = 1 if has_stray else MIN_GRID_START
    return _split_into_runs(ordered, pause, min_size)


def _skip_stray_presses(controls: Sequence[ControlEvents]) -> list[ControlEvents]:
    """Return the controls in the order of playing, ignoring presses by accident.

    A pad that was touched by accident between two others is pressed again when it is its turn. The later
    press is used if the numbers then run with fewer jumps.
    """
    ordered = list(controls)
    for control in controls:
        others = [each for each in ordered if each is not control]
        for time in control.later_press_times:
            changed = [*others, control._replace(played_at=time)]
            changed.sort(key=_get_play_time)
            if _count_jumps(changed) < _count_jumps(ordered):
                ordered = changed
                break
    return ordered


def _get_play_time(control: ControlEvents) -> float:
    return control.played_at


def _count_jumps(controls: Sequence[ControlEvents]) -> int:
    numbers = [control.key.number for control in controls]
    return sum(isinstance(one, int) and after != one + 1 for one, after in pairwise(numbers))


def _split_into_runs(
    controls: Sequence[ControlEvents], pause: float, min_grid_start: int
) -> list[list[ControlEvents]]:
    """Split controls of one kind into runs, which end at a long pause or where
    channel and number both change.
    """
    runs = [[controls[0]]]
    for index, control in enumerate(controls[1:], 1):
        is_pause = _measure_pause_before(controls, index) >= pause
        if (
            _is_pause_within_grid(control, runs[-1], min_grid_start)
            if is_pause
            else _belongs_to_run(control, runs[-1])
        ):
            runs[-1].append(control)
        else:
            runs.append([control])
    return runs


def _measure_pause_before(controls: Sequence[ControlEvents], index: int) -> float:
    """Return the seconds from the last event of the previous controls to the first event of a control."""
    start = controls[index].played_at
    earlier = (
        event.time for control in controls[:index] for event in control.events if event.time < start
    )
    return start - max(earlier, default=start)


def _belongs_to_run(control: ControlEvents, run: Sequence[ControlEvents]) -> bool:
    """Return whether a control continues a run: it has the same channel, or the same
    number on another channel.
    """
    channels = {member.key.channel for member in run}
    numbers = {member.key.number for member in run}
    if control.key.channel in channels:
        return len(channels) == 1
    return numbers == {control.key.number}


def _is_pause_within_grid(
    control: ControlEvents, run: Sequence[ControlEvents], min_size: int
) -> bool:
    """Return whether a long pause is inside a grid of pads and does not end it.

    This is so if the control has the next number, and the pads before the pause form no usual grid.
    """
    last, size = run[-1].key, len(run)
    is_next = isinstance(last.number, int) and control.key.number == last.number + 1
    is_same_channel = last.channel == control.key.channel
    return (
        is_next
        and is_same_channel
        and size >= min_size
        and size not in COLUMNS_BY_PAD_COUNT
        and ControlBlock([*run, control]).is_velocity_sensitive
    )


def _number_requested_banks(blocks: Sequence[ControlBlock]) -> None:
    """Set the bank of each block to the one that the player was asked for, if more
    than one bank was requested.
    """
    if any(block.step and block.step.bank > 1 for block in blocks):
        repeated = {block.bank_signature for block in blocks if block.step and block.step.bank > 1}
        for block in blocks:
            if block.step and block.bank_signature in repeated:
                block.bank = block.step.bank


def _guess_banks(blocks: Sequence[ControlBlock]) -> None:
    """Set the bank of each block if the same sequence of blocks, or of pads, was played more than once."""
    shapes = [block.bank_signature for block in blocks]
    for size in range(1, len(blocks) // 2 + 1):
        repeats = len(blocks) % size == 0 and all(
            shape == shapes[index % size] for index, shape in enumerate(shapes)
        )
        if repeats and (
            len(set(shapes[:size])) > 1 or (size == 1 and blocks[0].is_velocity_sensitive)
        ):
            for index, block in enumerate(blocks):
                block.bank = index // size + 1
            return
    _guess_pad_banks(blocks)


def _guess_pad_banks(blocks: Sequence[ControlBlock]) -> None:
    runs = [list(run) for _, run in groupby(blocks, key=lambda block: block.bank_signature)]
    counts = {len(run) for run in runs if len(run) > 1 and run[0].is_velocity_sensitive}
    for run in runs:
        if len(run) in counts:
            for at, block in enumerate(run):
                block.bank = at + 1


def count_columns(block: ControlBlock, role: ControlRole) -> int:
    """Return the number of columns of a block, judged by jumps in its numbers or by usual sizes of grids."""
    numbers, size = block.list_control_numbers(), block.control_count
    jumps = [
        at
        for at, (one, after) in enumerate(pairwise(numbers), 1)
        if isinstance(one, int) and isinstance(after, int) and after - one != 1
    ]
    width = jumps[0] if jumps else 0
    if width > 1 and size % width == 0 and jumps == list(range(width, size, width)):
        return width
    if role == "key" or (role != "pad" and size <= MAX_CONTROLS_PER_ROW):
        return size
    usual = COLUMNS_BY_PAD_COUNT.get(size) if role == "pad" else None
    fitting = [count for count in range(8, 3, -1) if size % count == 0]
    return usual or (fitting[0] if fitting else size)


def is_keyboard(block: ControlBlock) -> bool:
    """Return whether a block is a keyboard: successive notes whose number is usual for a keyboard."""
    numbers = [number for number in block.list_control_numbers() if isinstance(number, int)]
    in_row = all(after - one == 1 for one, after in pairwise(numbers))
    return (
        block.bank_signature[0] == "note" and in_row and block.control_count in KEYBOARD_KEY_COUNTS
    )
