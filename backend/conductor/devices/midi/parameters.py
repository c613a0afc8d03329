"""Decodes NRPN and RPN: sequences of control changes that select a parameter and set its 14-bit value."""

from dataclasses import dataclass, field
from typing import Literal

ParameterKind = Literal["nrpn", "rpn"]
ParameterChange = tuple[ParameterKind, int, int]
"""A parameter change: RPN or NRPN, the number of the parameter, and its new 14-bit value."""

_DATA_MSB, _DATA_LSB, _INCREMENT, _DECREMENT = 6, 38, 96, 97
_SELECTOR_CONTROLLERS: dict[int, tuple[ParameterKind, int]] = {
    99: ("nrpn", 1),
    98: ("nrpn", 0),
    101: ("rpn", 1),
    100: ("rpn", 0),
}
"""The kind of parameter that each controller selects, and the half of the parameter number that the controller
sets, where 1 is the upper seven bits."""
_MAX_14_BIT_VALUE = 0x3FFF


@dataclass
class _ChannelParameter:
    """The parameter that is currently selected on one channel, with its value so far."""

    kind: ParameterKind = "nrpn"
    halves: list[int | None] = field(default_factory=lambda: [None, None])
    value: int = 0
    value_parameter: tuple[ParameterKind, int] | None = None
    """The parameter that `value` belongs to. Selecting the same parameter again keeps the value."""

    def select_parameter(self, kind: ParameterKind, half: int, value: int) -> None:
        if kind != self.kind:
            self.kind, self.halves = kind, [None, None]
        self.halves[half] = value
        if self.halves == [127, 127]:
            self.halves = [None, None]

    def get_number(self) -> int | None:
        low, high = self.halves
        return None if low is None or high is None else high << 7 | low

    def apply_data_entry(self, controller: int, value: int) -> ParameterChange | None:
        number = self.get_number()
        if number is None:
            return None
        if self.value_parameter != (self.kind, number):
            self.value, self.value_parameter = 0, (self.kind, number)
        self.value = _compute_new_value(self.value, controller, value)
        return self.kind, number, self.value


class ParameterTracker:
    """Tracks, for each channel, which RPN or NRPN parameter is selected and which value it has."""

    def __init__(self) -> None:
        self._channels: dict[int, _ChannelParameter] = {}

    def process_control_change(
        self, channel: int, controller: int, value: int
    ) -> ParameterChange | None:
        """Process a control change; return the parameter that it changed with its new value, or None if it
        changed none.
        """
        selector = _SELECTOR_CONTROLLERS.get(controller)
        if selector is not None:
            self._channels.setdefault(channel, _ChannelParameter()).select_parameter(
                *selector, value
            )
            return None
        if controller not in (_DATA_MSB, _DATA_LSB, _INCREMENT, _DECREMENT):
            return None
        parameter = self._channels.get(channel)
        return parameter.apply_data_entry(controller, value) if parameter is not None else None


def _compute_new_value(before: int, controller: int, value: int) -> int:
    match controller:
        case 6:
            return value << 7
        case 38:
            return before & 0x3F80 | value
        case 96:
            return min(_MAX_14_BIT_VALUE, before + 1)
        case _:
            return max(0, before - 1)
