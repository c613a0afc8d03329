"""Defines device profiles: what a controller sends and accepts, and how certain each fact about it is.

The file `knowledge/devices/<id>.toml` contains the matchers, the controls, the positions of the controls in
the picture, the light protocol, and the text that models are given. Default messages belong to a variant (a
program, a port, a firmware), never to the device as a whole. Where public sources disagree, the profile
contains a question instead of a fact.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.devices import Matcher, PortInfo, UsbIdentifier
from conductor.domain.keys import AXIS_NAMES, BUTTON_NAMES
from conductor.domain.value import Value

MAX_GROUP_SIZE, MAX_GROUPS = 256, 256
_NUMBER_RUN_PATTERN = re.compile(r"(\d{1,5})-(\d{1,5})(?:/(\d{1,3}))?")
"""Matches a range such as `36-51`, or `37-51/2` for every second number of a range."""

ConfidenceGrade = Literal["two_sources", "one_source"]
"""The confidence in a fact: two independent public sources agree, the vendor's own file and another source
agree, or only one source states the fact.
"""
ControlRole = Literal[
    "pad",
    "key",
    "knob",
    "encoder",
    "fader",
    "button",
    "transport",
    "pedal",
    "strip",
    "stick",
    "jog",
    "trigger",
]
ControlMessage = Literal[
    "note",
    "cc",
    "pitch_bend",
    "program_change",
    "channel_pressure",
    "nrpn",
    "button",
    "axis",
    "gamepad_trigger",
]
ValueEncoding = Literal[
    "absolute", "twos_complement", "offset_64", "sign_magnitude", "sign_magnitude_reversed"
]
"""`sign_magnitude_reversed` is 65 clockwise and 1 counter-clockwise, as some Behringer devices send it."""
ReleaseMessage = Literal["note_off", "note_off_64", "note_on_0", "value_0", "toggle"]
LightProtocol = Literal[
    "velocity_state",
    "velocity_palette",
    "velocity_bits",
    "cc_echo",
    "cc_ring",
    "sysex_rgb",
    "sysex_text",
    "hid_report",
    "none",
]
"""The way in which lights are set. `none` means that no message can set the lights."""
LightMessage = Literal["note", "cc", "sysex"]
ChannelNumber = Annotated[int, Field(ge=1, le=16)]
LongText = Annotated[str, Field(min_length=1, max_length=600)]
ShortText = Annotated[str, Field(min_length=1, max_length=60)]
ProfileItemId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
HexBytes = Annotated[str, Field(pattern=r"^[0-9A-F]{2}( [0-9A-F]{2})*$", max_length=400)]
"""A MIDI message in hexadecimal: `F0 00 20 29 02 0C 0E 01 F7`."""
SYSEX_PLACEHOLDERS = (
    *("light", "color", "red", "green", "blue"),
    *("red5", "green5", "blue5", "red8", "green8", "blue8"),
)
"""The placeholders in a `sysex` pattern. `red` is one byte, 0 to 127; `red5` is one byte, 0 to 31; `red8` is
0 to 255 in two bytes, the higher first."""
_SYSEX_PATTERN = re.compile(rf"F0( ([0-7][0-9A-F]|\{{({'|'.join(SYSEX_PLACEHOLDERS)})\}}))+ F7")


class Source(Value):
    """A source of facts about a device."""

    id: ProfileItemId
    title: LongText
    url: str | None = Field(default=None, max_length=400, pattern=r"^https?://[^\s]+$")
    kind: Literal["maker", "software", "community", "measured"] = "community"
    """The vendor's file or manual, another program's data, texts by users, or a recording on this computer."""
    licence: str | None = Field(default=None, max_length=120)


class Fact(Value):
    """Base class of all statements in a profile, with their sources and confidence."""

    grade: ConfidenceGrade
    sources: tuple[ProfileItemId, ...] = Field(min_length=1, max_length=16)
    """The ids of the entries in the profile's `sources` that state the fact."""


class PictureArea(Value):
    """A rectangle in the picture of the device, in units of the picture."""

    x: float = Field(ge=0)
    y: float = Field(ge=0)
    w: float = Field(gt=0)
    h: float = Field(gt=0)


class Group(Fact):
    """A block of identical controls, arranged in rows and columns."""

    id: ProfileItemId
    role: ControlRole
    name: LongText
    """The name of a control, with `{n}` for its number in the group, counted from 1."""
    message: ControlMessage
    numbers: tuple[int | str, ...] = Field(min_length=1, max_length=MAX_GROUP_SIZE)
    """The numbers of the controls in reading order: top left first, row by row. `"36-51"` stands for a run,
    `"37-51/2"` for every second number of a run. The controls of a gamepad have names instead; pitch bend and
    pressure have the number 0.
    """
    channel: ChannelNumber | None = None
    channels: tuple[ChannelNumber, ...] = Field(default=(), max_length=MAX_GROUP_SIZE)
    """The channel of each control, if they differ (faders of a Mackie Control)."""
    columns: int = Field(default=1, ge=1, le=64)
    bank: str | None = Field(default=None, max_length=40)
    """The bank or layer that must be selected for these numbers."""
    rows_from_bottom: bool = False
    """Whether the device counts rows from the bottom: control 1 is at the bottom left."""
    encoding: ValueEncoding | None = None
    """The coding of a turn or move. Left out: unknown, or not an encoder."""
    release: ReleaseMessage | None = None
    place: PictureArea | None = None
    """The position of the group in the picture. Left out: not drawn, because it is another bank of the same
    controls.
    """
    note: LongText | None = None
    """Further information about the group."""

    @field_validator("numbers", mode="before")
    @classmethod
    def _expand_runs(cls, raw: Any) -> Any:
        return expand_number_runs(raw)

    @model_validator(mode="after")
    def _check_channel_count(self) -> "Group":
        if self.channels and len(self.channels) != len(self.numbers):
            raise ValueError(
                f"`channels` has {len(self.channels)} entries for {len(self.numbers)} numbers"
            )
        return self

    @model_validator(mode="after")
    def _check_numbers(self) -> "Group":
        named = _GAMEPAD_NAMES.get(self.message)
        for number in self.numbers:
            if named is not None and number not in named:
                raise ValueError(
                    f"there is no {self.message} `{number}`; it must be one of {named}"
                )
            highest = 16383 if self.message == "nrpn" else 127
            if named is None and not (isinstance(number, int) and 0 <= number <= highest):
                raise ValueError(
                    f"`{number}` is not a {self.message} number; it must be 0 to {highest}"
                )
        return self


_GAMEPAD_NAMES = {"button": BUTTON_NAMES, "axis": AXIS_NAMES, "gamepad_trigger": ("left", "right")}


def expand_number_runs(raw: Any) -> Any:
    """Return a list of numbers in which ranges such as `"36-51"` are replaced by the numbers in them."""
    if not isinstance(raw, list | tuple):
        return raw
    return [number for item in raw[: MAX_GROUP_SIZE + 1] for number in _expand_number_run(item)]


def _expand_number_run(item: Any) -> list[Any]:
    """Return the numbers that one entry of `numbers` stands for: a single number or a range."""
    run = _NUMBER_RUN_PATTERN.fullmatch(item) if isinstance(item, str) else None
    if run is None:
        return [item]
    first, last, step = int(run[1]), int(run[2]), int(run[3] or 1)
    if last < first or step == 0 or last - first >= step * MAX_GROUP_SIZE:
        raise ValueError(f"`{item}` is not a run of numbers; write it like `36-51` or `37-51/2`")
    return list(range(first, last + 1, step))


class Variant(Value):
    """The messages that the device sends in one program, mode, port or firmware."""

    id: ProfileItemId
    name: LongText
    when: LongText
    """When the variant applies, and how the user selects it: "PROGRAM 1, the factory default"."""
    port: str | None = Field(default=None, max_length=120)
    """A part of the name of the variant's port, if the device has several ports."""
    setup: tuple[HexBytes, ...] = Field(default=(), max_length=16)
    """The messages that switch the device to this variant, such as Programmer mode."""
    restore: tuple[HexBytes, ...] = Field(default=(), max_length=16)
    """The messages that switch the device back from this variant."""
    firmware: str | None = Field(default=None, max_length=60)
    groups: tuple[Group, ...] = Field(min_length=1, max_length=MAX_GROUPS)


class Lights(Fact):
    """How to control the device's lights, rings or display."""

    groups: tuple[ProfileItemId, ...] = Field(min_length=1, max_length=64)
    """The ids of the groups whose controls have lights."""
    variant: ProfileItemId | None = None
    """The variant in which the lights are set in this way. Left out: every variant that has these groups."""
    protocol: LightProtocol
    how: LongText
    """How the lights are set, as a description for people."""
    message: LightMessage | None = None
    """The message that sets one light. Left out: a `Led` action cannot set it, and `how` says why."""
    lights: tuple[int | str, ...] = Field(default=(), max_length=MAX_GROUP_SIZE)
    """The number of each light, in the order of the groups. Left out: each light has the number of its
    control.
    """
    channel: ChannelNumber | None = None
    """The channel of the message. Left out: the channel of the control."""
    sysex: str | None = Field(default=None, max_length=400)
    """The SysEx message, with placeholders: `F0 00 20 6B 7F 42 02 00 10 {light} {color} F7`."""
    colors: dict[ShortText, int] = Field(default_factory=dict[str, int], max_length=128)
    """The value for a colour or state. Left out with `{red}`: the colour itself is sent."""
    setup: tuple[HexBytes, ...] = Field(default=(), max_length=16)
    """The messages that prepare the lights, such as a message that enables blinking."""
    needs: LongText | None = None
    """What the user must set on the device before the lights work."""

    @field_validator("lights", mode="before")
    @classmethod
    def _expand_runs(cls, raw: Any) -> Any:
        return expand_number_runs(raw)

    @field_validator("sysex")
    @classmethod
    def _require_placeholders(cls, sysex: str | None) -> str | None:
        if sysex is not None and not _SYSEX_PATTERN.fullmatch(sysex):
            raise ValueError(
                f"`{sysex[:60]}` is not F0, bytes in hexadecimal or placeholders, and F7; "
                f"placeholders are {', '.join(f'{{{name}}}' for name in SYSEX_PLACEHOLDERS)}"
            )
        return sysex

    @model_validator(mode="after")
    def _check_message(self) -> "Lights":
        if (self.message == "sysex") != (self.sysex is not None):
            raise ValueError('`sysex` and `message = "sysex"` belong together')
        if self.message in ("note", "cc") and not self.colors:
            raise ValueError("`colors` is missing: give the value of each colour or state")
        return self


class Remark(Fact):
    """A fact that fits no other field, such as an identity reply, a mode switch or a pitfall."""

    title: LongText
    text: LongText


class Answer(Value):
    """A possible answer to a question, and what it means."""

    found: LongText
    means: LongText
    variant: ProfileItemId | None = None


class Question(Value):
    """A question for the user about a fact on which public sources disagree."""

    about: LongText
    ask: LongText
    """What to ask the user to do: "Press pad 1"."""
    answers: tuple[Answer, ...] = Field(min_length=2, max_length=16)
    sources: tuple[ProfileItemId, ...] = Field(min_length=2, max_length=16)


class UsbId(Fact):
    """The USB vendor and product numbers of the device."""

    vendor_id: int = Field(ge=0, le=0xFFFF)
    product_id: int = Field(ge=0, le=0xFFFF)


class DeviceProfile(Value):
    """All known facts about a controller model."""

    id: ProfileItemId
    """The name of the profile's file, without `.toml`."""
    maker: LongText
    model: LongText
    also: tuple[LongText, ...] = Field(default=(), max_length=16)
    """Other names of the device."""
    kind: Literal[
        "pads", "keys", "grid", "mixer", "knobs", "dj", "foot", "gamepad", "drums", "other"
    ]
    summary: LongText
    revision: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """The day on which the facts were last checked."""
    width: float = Field(default=100, gt=0, le=10_000)
    """The width of the picture in its own units; a pad is about 10 units wide."""
    height: float = Field(default=60, gt=0, le=10_000)
    sources: tuple[Source, ...] = Field(min_length=1, max_length=32)
    matchers: tuple[Matcher, ...] = Field(default=(), max_length=32)
    """Matchers for the name of the device's port, strict enough not to match the port of another profile."""
    usb: tuple[UsbId, ...] = Field(default=(), max_length=64)
    """The USB vendor and product numbers, which also identify the device."""
    variants: tuple[Variant, ...] = Field(min_length=1, max_length=32)
    """The variants of the device. The first variant is assumed until events indicate another variant."""
    lights: tuple[Lights, ...] = Field(default=(), max_length=32)
    remarks: tuple[Remark, ...] = Field(default=(), max_length=32)
    questions: tuple[Question, ...] = Field(default=(), max_length=16)

    def list_matchers(self) -> tuple[Matcher, ...]:
        """Return matchers for the device's port names and USB ids, for use in a `DeviceIdentity`."""
        usb = [
            UsbIdentifier(vendor_id=usb.vendor_id, product_id=usb.product_id) for usb in self.usb
        ]
        return (*self.matchers, *usb)

    def get_match_specificity(self, port: PortInfo) -> int:
        """Return the specificity of the best matcher for a port, or 0 if no matcher fits it."""
        return max((m.specificity for m in self.list_matchers() if m.matches_port(port)), default=0)

    @model_validator(mode="after")
    def _check_references(self) -> "DeviceProfile":
        groups = [group for variant in self.variants for group in variant.groups]
        facts: list[Fact] = [*groups, *self.lights, *self.remarks, *self.usb]
        _require_unique_ids("source", [source.id for source in self.sources])
        _require_unique_ids("variant", [variant.id for variant in self.variants])
        for variant in self.variants:
            _require_unique_ids(f"group of `{variant.id}`", [group.id for group in variant.groups])
        for fact in facts:
            if fact.grade == "two_sources" and len(set(fact.sources)) < 2:
                raise ValueError(f"`two_sources` needs two sources: {fact.sources}")
        asked = [source for question in self.questions for source in question.sources]
        _require_known_ids(
            "source", {source.id for source in self.sources}, [*_list_sources(facts), *asked]
        )
        lit = [group for lights in self.lights for group in lights.groups]
        _require_known_ids("group", {group.id for group in groups}, lit)
        self._check_lights()
        answers = [answer for question in self.questions for answer in question.answers]
        told = [answer.variant for answer in answers if answer.variant is not None]
        _require_known_ids("variant", {variant.id for variant in self.variants}, told)
        return self

    def _check_lights(self) -> None:
        variants = {variant.id: variant for variant in self.variants}
        _require_known_ids(
            "variant", set(variants), [lights.variant for lights in self.lights if lights.variant]
        )
        for lights in self.lights:
            for variant in self.variants:
                count = sum(len(group.numbers) for group in list_lit_groups(lights, variant))
                if lights.lights and count not in (0, len(lights.lights)):
                    raise ValueError(
                        f"`lights` has {len(lights.lights)} numbers for {count} controls "
                        f"of {', '.join(lights.groups)}"
                    )

    @model_validator(mode="after")
    def _check_positions(self) -> "DeviceProfile":
        for group in (group for variant in self.variants for group in variant.groups):
            place = group.place
            if place and (place.x + place.w > self.width or place.y + place.h > self.height):
                raise ValueError(
                    f"group `{group.id}` lies outside the picture, {self.width} x {self.height}"
                )
        return self


def list_lit_groups(lights: Lights, variant: Variant) -> list[Group]:
    """Return the groups of a variant that have these lights, in the order of `lights.groups`."""
    if lights.variant not in (None, variant.id):
        return []
    groups = {group.id: group for group in variant.groups}
    return [groups[group_id] for group_id in lights.groups if group_id in groups]


def _list_sources(facts: list[Fact]) -> list[str]:
    return [source for fact in facts for source in fact.sources]


def _require_unique_ids(what: str, ids: list[str]) -> None:
    twice = [name for name in ids if ids.count(name) > 1]
    if twice:
        raise ValueError(f"`{twice[0]}` is the id of more than one {what}")


def _require_known_ids(what: str, known: set[str], named: list[str]) -> None:
    missing = sorted(set(named) - known)
    if missing:
        raise ValueError(f"there is no {what} `{missing[0]}`; there are {sorted(known)}")
