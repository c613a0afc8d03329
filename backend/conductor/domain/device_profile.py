"""Device profiles: what a controller sends and accepts, with the sources and confidence of every fact.

One file, `knowledge/devices/<id>.toml`, is the template (matchers, controls), the picture (where the
groups lie), the light protocol and the text that models are given. "Default" belongs to a variant (a
program, a port, a firmware), never to the device alone; where public sources disagree, there is a
question instead of a fact.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.devices import Matcher, PortInfo, UsbIdentifier
from conductor.domain.keys import AXIS_NAMES, BUTTON_NAMES
from conductor.domain.value import Value

MAX_NUMBERS = 256
_RUN = re.compile(r"(\d{1,5})-(\d{1,5})(?:/(\d{1,3}))?")
"""A run such as `36-51`, or `37-51/2` for every second number."""

Grade = Literal["two_sources", "one_source"]
"""Two independent public sources agree, or the maker's own file and one other; or one says so."""
Role = Literal[
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
Message = Literal[
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
Encoding = Literal["absolute", "twos_complement", "offset_64", "sign_magnitude"]
Release = Literal["note_off", "note_off_64", "note_on_0", "value_0", "toggle"]
LightProtocol = Literal[
    "velocity_state",
    "velocity_palette",
    "velocity_bits",
    "cc_echo",
    "cc_ring",
    "sysex_rgb",
    "sysex_text",
    "hid_report",
]
Channel = Annotated[int, Field(ge=1, le=16)]
Words = Annotated[str, Field(min_length=1, max_length=600)]
Word = Annotated[str, Field(min_length=1, max_length=60)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class Source(Value):
    """A source of facts about a device."""

    id: Id
    title: Words
    url: str | None = Field(default=None, max_length=400, pattern=r"^https?://[^\s]+$")
    kind: Literal["maker", "software", "community", "measured"] = "community"
    """The vendor's file or manual, another program's data, texts by users, or a recording on this computer."""
    licence: str | None = Field(default=None, max_length=120)


class Fact(Value):
    """Base class of everything that a profile states, with its sources and confidence."""

    grade: Grade
    sources: tuple[Id, ...] = Field(min_length=1, max_length=16)
    """Ids of the profile's `sources`."""


class Place(Value):
    """A rectangle in the picture of the device, in the picture's units."""

    x: float = Field(ge=0)
    y: float = Field(ge=0)
    w: float = Field(gt=0)
    h: float = Field(gt=0)


class Group(Fact):
    """A block of identical controls, arranged in rows and columns."""

    id: Id
    role: Role
    name: Words
    """The name of a control, with `{n}` for its number in the group, counted from 1."""
    message: Message
    numbers: tuple[int | str, ...] = Field(min_length=1, max_length=MAX_NUMBERS)
    """The number of each, in reading order: top left first, row by row; `"36-51"` stands for a run and
    `"37-51/2"` for every second of one. Names for a gamepad's controls; 0 for pitch bend and pressure."""
    channel: Channel | None = None
    channels: tuple[Channel, ...] = Field(default=(), max_length=MAX_NUMBERS)
    """The channel of each control, if they differ (faders of a Mackie Control)."""
    columns: int = Field(default=1, ge=1, le=64)
    bank: str | None = Field(default=None, max_length=40)
    """The bank or layer that must be selected for these numbers."""
    rows_from_bottom: bool = False
    """Whether the device counts rows from the bottom: control 1 is at the bottom left."""
    encoding: Encoding | None = None
    """The coding of a turn or move. Left out: unknown, or not an encoder."""
    release: Release | None = None
    place: Place | None = None
    """Its position in the picture. Left out: not drawn (another bank of the same controls)."""
    note: Words | None = None
    """Further information."""

    @field_validator("numbers", mode="before")
    @classmethod
    def _expand_runs(cls, raw: Any) -> Any:
        if not isinstance(raw, list | tuple):
            return raw
        return [number for item in raw[: MAX_NUMBERS + 1] for number in _expand_run(item)]

    @model_validator(mode="after")
    def _check_channel_count(self) -> "Group":
        if self.channels and len(self.channels) != len(self.numbers):
            raise ValueError(
                f"`channels` has {len(self.channels)} entries for {len(self.numbers)} numbers"
            )
        return self

    @model_validator(mode="after")
    def _check_numbers(self) -> "Group":
        named = _NAMES.get(self.message)
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


_NAMES = {"button": BUTTON_NAMES, "axis": AXIS_NAMES, "gamepad_trigger": ("left", "right")}


def _expand_run(item: Any) -> list[Any]:
    """Return the numbers of one entry in `numbers`, which is a number or a range."""
    run = _RUN.fullmatch(item) if isinstance(item, str) else None
    if run is None:
        return [item]
    first, last, step = int(run[1]), int(run[2]), int(run[3] or 1)
    if last < first or step == 0 or last - first >= step * MAX_NUMBERS:
        raise ValueError(f"`{item}` is not a run of numbers; write it like `36-51` or `37-51/2`")
    return list(range(first, last + 1, step))


class Variant(Value):
    """The messages that the device sends in one program, mode, port or firmware."""

    id: Id
    name: Words
    when: Words
    """When it applies, and how the user selects it: "PROGRAM 1, the factory default"."""
    port: str | None = Field(default=None, max_length=120)
    """A part of the name of its port, if the device has several ports."""
    firmware: str | None = Field(default=None, max_length=60)
    groups: tuple[Group, ...] = Field(min_length=1, max_length=64)


class Lights(Fact):
    """How to control the device's lights, rings or display."""

    groups: tuple[Id, ...] = Field(min_length=1, max_length=64)
    """Ids of the groups that have lights."""
    protocol: LightProtocol
    how: Words
    """A description of the message to send."""
    colors: dict[Word, int] = Field(default_factory=dict[str, int], max_length=128)
    """The value for a colour or state."""
    needs: Words | None = None
    """What must be set on the device first."""


class Remark(Fact):
    """Another fact, such as an identity reply, a mode switch or a pitfall."""

    title: Words
    text: Words


class Answer(Value):
    """A possible answer to a question, and what it means."""

    found: Words
    means: Words
    variant: Id | None = None


class Question(Value):
    """A question for the user about a fact on which public sources disagree."""

    about: Words
    ask: Words
    """What to ask the user to do: "Press pad 1"."""
    answers: tuple[Answer, ...] = Field(min_length=2, max_length=16)
    sources: tuple[Id, ...] = Field(min_length=2, max_length=16)


class UsbId(Fact):
    """The USB vendor and product numbers of the device."""

    vendor_id: int = Field(ge=0, le=0xFFFF)
    product_id: int = Field(ge=0, le=0xFFFF)


class DeviceProfile(Value):
    """All known facts about a controller model."""

    id: Id
    """The name of its file, without `.toml`."""
    maker: Words
    model: Words
    also: tuple[Words, ...] = Field(default=(), max_length=16)
    """Other names of the device."""
    kind: Literal[
        "pads", "keys", "grid", "mixer", "knobs", "dj", "foot", "gamepad", "drums", "other"
    ]
    summary: Words
    revision: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """The day on which its facts were last checked."""
    width: float = Field(default=100, gt=0, le=10_000)
    """The picture's size, in its own units; about 10 per pad."""
    height: float = Field(default=60, gt=0, le=10_000)
    sources: tuple[Source, ...] = Field(min_length=1, max_length=32)
    matchers: tuple[Matcher, ...] = Field(default=(), max_length=32)
    """Matchers for its port's name, strict enough not to match the port of another profile."""
    usb: tuple[UsbId, ...] = Field(default=(), max_length=64)
    """Its USB numbers, which also identify it."""
    variants: tuple[Variant, ...] = Field(min_length=1, max_length=32)
    """The first variant is assumed until events show another one."""
    lights: tuple[Lights, ...] = Field(default=(), max_length=32)
    remarks: tuple[Remark, ...] = Field(default=(), max_length=32)
    questions: tuple[Question, ...] = Field(default=(), max_length=16)

    def list_matchers(self) -> tuple[Matcher, ...]:
        """Return matchers for the device's port names and USB numbers, for use in a `DeviceIdentity`."""
        usb = [
            UsbIdentifier(vendor_id=usb.vendor_id, product_id=usb.product_id) for usb in self.usb
        ]
        return (*self.matchers, *usb)

    def specificity(self, port: PortInfo) -> int:
        """Return how specific the best matcher for a port is, or 0 if no matcher matches."""
        return max((m.specificity for m in self.list_matchers() if m.matches(port)), default=0)

    @model_validator(mode="after")
    def _check_references(self) -> "DeviceProfile":
        groups = [group for variant in self.variants for group in variant.groups]
        facts: list[Fact] = [*groups, *self.lights, *self.remarks, *self.usb]
        _require_unique("source", [source.id for source in self.sources])
        _require_unique("variant", [variant.id for variant in self.variants])
        for variant in self.variants:
            _require_unique(f"group of `{variant.id}`", [group.id for group in variant.groups])
        for fact in facts:
            if fact.grade == "two_sources" and len(set(fact.sources)) < 2:
                raise ValueError(f"`two_sources` needs two sources: {fact.sources}")
        asked = [source for question in self.questions for source in question.sources]
        _require_known(
            "source", {source.id for source in self.sources}, [*_list_sources(facts), *asked]
        )
        lit = [group for lights in self.lights for group in lights.groups]
        _require_known("group", {group.id for group in groups}, lit)
        answers = [answer for question in self.questions for answer in question.answers]
        told = [answer.variant for answer in answers if answer.variant is not None]
        _require_known("variant", {variant.id for variant in self.variants}, told)
        return self

    @model_validator(mode="after")
    def _check_positions(self) -> "DeviceProfile":
        for group in (group for variant in self.variants for group in variant.groups):
            place = group.place
            if place and (place.x + place.w > self.width or place.y + place.h > self.height):
                raise ValueError(
                    f"group `{group.id}` lies outside the picture, {self.width} x {self.height}"
                )
        return self


def _list_sources(facts: list[Fact]) -> list[str]:
    return [source for fact in facts for source in fact.sources]


def _require_unique(what: str, ids: list[str]) -> None:
    twice = [name for name in ids if ids.count(name) > 1]
    if twice:
        raise ValueError(f"`{twice[0]}` is the id of more than one {what}")


def _require_known(what: str, known: set[str], named: list[str]) -> None:
    missing = sorted(set(named) - known)
    if missing:
        raise ValueError(f"there is no {what} `{missing[0]}`; there are {sorted(known)}")
