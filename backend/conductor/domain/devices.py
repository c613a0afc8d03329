"""Defines device identities: an alias with matchers that recognise the device's MIDI port or gamepad."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator
from typing_extensions import TypeAliasType

from conductor.domain.search_pattern import MAX_REGEX_LENGTH, contains_match, validate_pattern
from conductor.domain.value import Value
from conductor.domain.wire_rows import BatteryLevel, DeviceKind, DeviceRow

SOFTWARE_PORT_NAMES = ("Midi Through", "Conductor")
"""The beginnings of the names of ports that belong to no device: ALSA's loopback port
and Conductor's own ports."""


class PortInfo(Value):
    """What is known about a MIDI port or gamepad, for comparison with matchers."""

    name: str
    """The name of the port, without the numbers that the system appends."""
    occurrence: int = 1
    """The number of the device among devices of the same name; the first is 1."""
    platform_id: str | None = None
    vendor_id: int | None = None
    product_id: int | None = None
    usb_path: str | None = None
    unique_id: int | None = None
    """The unique id that CoreMIDI gives to the port."""


class MatcherBase(Value):
    specificity: ClassVar[int]
    """How specific the matcher is; if several aliases match a port, the most specific matcher decides."""
    occurrence: int | None = Field(default=None, ge=1, le=64)
    """Which of several identical units: 1 is the first. Left out: any."""

    def matches_port(self, port: PortInfo) -> bool:
        if self.occurrence is not None and self.occurrence != port.occurrence:
            return False
        return self.recognises_port(port)

    def recognises_port(self, port: PortInfo) -> bool:
        raise NotImplementedError


class NameRegex(MatcherBase):
    """Matches if a regular expression occurs in the name of the port."""

    specificity = 10
    type: Literal["NameRegex"] = "NameRegex"
    pattern: str = Field(min_length=1, max_length=MAX_REGEX_LENGTH)
    """A regular expression. `(?!...)` may say what must not follow; other look-around and
    backreferences are not known."""

    @field_validator("pattern")
    @classmethod
    def _require_valid_pattern(cls, pattern: str) -> str:
        return validate_pattern(pattern)

    def recognises_port(self, port: PortInfo) -> bool:
        return contains_match(self.pattern, port.name)


class NameContains(MatcherBase):
    """Matches if the name of the port contains this text, in any case."""

    specificity = 20
    type: Literal["NameContains"] = "NameContains"
    pattern: str = Field(min_length=1, max_length=256)
    """A part of the port's name."""

    def recognises_port(self, port: PortInfo) -> bool:
        return self.pattern.casefold() in port.name.casefold()


class PlatformId(MatcherBase):
    """Matches the id that the operating system gives to the port."""

    specificity = 30
    type: Literal["PlatformId"] = "PlatformId"
    pattern: str = Field(min_length=1, max_length=256)
    """The complete id of the port."""

    def recognises_port(self, port: PortInfo) -> bool:
        return self.pattern == port.platform_id


class ExactName(MatcherBase):
    """Matches if the port has exactly this name."""

    specificity = 40
    type: Literal["ExactName"] = "ExactName"
    pattern: str = Field(min_length=1, max_length=256)
    """The complete name of the port."""

    def recognises_port(self, port: PortInfo) -> bool:
        return self.pattern == port.name


class UsbTopology(MatcherBase):
    """Matches a device that is plugged into this USB port, such as `1-2.4`."""

    specificity = 50
    type: Literal["UsbTopology"] = "UsbTopology"
    pattern: str = Field(min_length=1, max_length=64)
    """The path of USB ports from the computer to the device."""

    def recognises_port(self, port: PortInfo) -> bool:
        return self.pattern == port.usb_path


class UsbIdentifier(MatcherBase):
    """Matches the USB vendor and product ids of the device.

    They are known for gamepads and for ports of ALSA, CoreMIDI and Windows, but not for ports of JACK, of
    Bluetooth or of other programs.
    """

    specificity = 60
    type: Literal["UsbIdentifier"] = "UsbIdentifier"
    vendor_id: int = Field(ge=0, le=0xFFFF)
    """The vendor, such as 0x17CC for Native Instruments."""
    product_id: int = Field(ge=0, le=0xFFFF)
    """The vendor's number of the model."""

    def recognises_port(self, port: PortInfo) -> bool:
        return (self.vendor_id, self.product_id) == (port.vendor_id, port.product_id)


class CoreMidiUniqueId(MatcherBase):
    """Matches the unique id that CoreMIDI gives to an endpoint.

    It exists on macOS only. CoreMIDI keeps it when the device is plugged in again, also at another port.
    """

    specificity = 70
    type: Literal["CoreMidiUniqueId"] = "CoreMidiUniqueId"
    unique_id: int
    """The id that CoreMIDI assigned to the endpoint."""

    def recognises_port(self, port: PortInfo) -> bool:
        return self.unique_id == port.unique_id


def _canonicalize_matcher(raw: Any) -> Any:
    """Accept `value`, which is the older name of `pattern`."""
    if isinstance(raw, dict) and "value" in raw and "pattern" not in raw:
        rest = {key: item for key, item in raw.items() if key != "value"}
        name = "unique_id" if raw.get("type") == "CoreMidiUniqueId" else "pattern"
        return {**rest, name: raw["value"]}
    return raw


Matcher = TypeAliasType(
    "Matcher",
    Annotated[
        NameRegex
        | NameContains
        | PlatformId
        | ExactName
        | UsbTopology
        | UsbIdentifier
        | CoreMidiUniqueId,
        Field(discriminator="type"),
        BeforeValidator(_canonicalize_matcher),
    ],
)


class DeviceIdentity(Value):
    """The user's name for a device, whatever port it appears on."""

    alias: str = Field(min_length=1, max_length=64, pattern=r"^[^:\x00-\x1f]+$")
    """The name that triggers and actions use."""
    matchers: tuple[Matcher, ...] = Field(min_length=1)
    """How the device is recognised; one match is enough."""
    description: str | None = None
    """A note for yourself about the device."""
    enabled: bool = True
    """False: the device is muted; its events are shown but do nothing."""

    @model_validator(mode="before")
    @classmethod
    def _accept_single_matcher(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and isinstance(raw.get("matchers"), dict):
            return {**raw, "matchers": [raw["matchers"]]}
        return raw

    def get_match_specificity(self, port: PortInfo) -> int:
        """Return the specificity of the best matcher for a port, or 0 if no matcher fits it."""
        return max((m.specificity for m in self.matchers if m.matches_port(port)), default=0)


class DeviceStatus(Value):
    """The status of a port or gamepad, as the user sees it."""

    device_id: str
    port_name: str
    kind: DeviceKind
    connected: bool = True
    enabled: bool = True
    is_configured: bool = False
    problem: str | None = None
    """Why a port that exists cannot be used, and what to do; None if there is no problem."""
    battery: BatteryLevel | None = None

    def to_row(self) -> DeviceRow:
        """Return the status as JSON data."""
        row = DeviceRow(
            device_id=self.device_id,
            port_name=self.port_name,
            kind=self.kind,
            connected=self.connected,
            enabled=self.enabled,
            is_configured=self.is_configured,
            problem=self.problem,
        )
        if self.battery is not None:
            row["battery"] = self.battery
        return row

    def is_hardware(self) -> bool:
        """Return whether this is a physical device and not a port of a program."""
        return (
            self.connected
            and self.kind in ("midi_input", "gamepad")
            and not self.port_name.startswith(SOFTWARE_PORT_NAMES)
        )


def assign_device_ids(
    identities: Sequence[DeviceIdentity], ports: Sequence[PortInfo]
) -> tuple[str, ...]:
    """Return the device id of each port: the alias whose matchers fit it best, or `raw:<name>`.

    If several aliases fit equally well, the first gets unit 1, the second unit 2, and so on; the last
    also gets all further units.
    """
    return tuple(_choose_device_id(identities, port) for port in ports)


def _choose_device_id(identities: Sequence[DeviceIdentity], port: PortInfo) -> str:
    scores = [(identity.get_match_specificity(port), identity.alias) for identity in identities]
    best = max((score for score, _ in scores), default=0)
    if best == 0:
        return format_raw_device_id(port)
    equal = [alias for score, alias in scores if score == best]
    return equal[min(port.occurrence, len(equal)) - 1]


def format_raw_device_id(port: PortInfo) -> str:
    """Return the device id of a port that has no alias, `raw:<name>`."""
    return f"raw:{port.name}" + (f" #{port.occurrence}" if port.occurrence > 1 else "")


def list_midi_inputs(devices: Sequence[DeviceRow]) -> list[DeviceRow]:
    """Return the MIDI inputs among devices. The position of an input in this list is its port number."""
    return [device for device in devices if device["kind"] == "midi_input"]
