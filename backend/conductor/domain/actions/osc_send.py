"""Defines the OscSend action, which sends an OSC message over UDP."""

from typing import Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports

OSC_ARGUMENT_DECIMALS = 4


class OscSendAction(ActionBase):
    """Sends an OSC message over UDP; an argument may be `{ from = "value" }`, 0.0 to 1.0."""

    type: Literal["OscSend"] = "OscSend"
    host: str = Field(default="127.0.0.1", min_length=1, max_length=253)
    """The name or address of the computer to send to."""
    port: int = Field(ge=1, le=65_535, examples=[8000])
    """The UDP port to send to."""
    address: str = Field(
        pattern=r"^/[!-~]*$",
        max_length=256,
        examples=["/track/1/volume"],
        json_schema_extra={"format": "osc_address"},
    )
    """The OSC address, such as `/track/1/volume`."""
    args: tuple[bool | int | float | str | FromControl, ...] = Field(default=(), max_length=64)
    """The arguments: numbers, texts, true and false, or `{ from = "value" }`."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.osc.send(self.host, self.port, self.address, self._resolve_arguments(fire))

    def resolve_to_plain(self, fire: Fire) -> JsonObject:
        """Return the message as JSON data, in which values that come from the control are numbers."""
        plain = self.to_plain()
        return {**plain, "args": self._resolve_arguments(fire)} if self.args else plain

    def _resolve_arguments(self, fire: Fire) -> list[object]:
        return [_resolve_argument(arg, fire) for arg in self.args]


def _resolve_argument(arg: bool | int | float | str | FromControl, fire: Fire) -> object:  # noqa: FBT001
    if not isinstance(arg, FromControl):
        return arg
    return arg.compute_number(fire.value, fire.steps, high=1, decimals=OSC_ARGUMENT_DECIMALS)
