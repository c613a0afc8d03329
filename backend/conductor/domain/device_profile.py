"""A device profile: what a controller sends and understands, with a source and a grade for every fact.

One file, `knowledge/devices/<id>.toml`, is the template (matchers, controls), the picture (where the groups
lie), the light protocol and the text that models are given. "Default" belongs to a variant - a program, a port,
a firmware - never to the device alone; where public sources disagree there is a question and no fact.
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from conductor.domain.devices import Matcher
from conductor.domain.value import Value

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
Midi = Annotated[int, Field(ge=0, le=127)]
Channel = Annotated[int, Field(ge=1, le=16)]
Words = Annotated[str, Field(min_length=1, max_length=600)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class Source(Value):
    """Where a fact was read."""

    id: Id
    title: Words
    url: str | None = Field(default=None, max_length=400)
    kind: Literal["maker", "software", "community", "measured"] = "community"
    """The maker's own file or manual; what a program expects; what users wrote; what was played here."""
    licence: str | None = Field(default=None, max_length=120)


class Fact(Value):
    """Whatever is claimed carries this."""

    grade: Grade
    sources: tuple[Id, ...] = Field(min_length=1)
    """Ids of the profile's `sources`."""


class Place(Value):
    """A rectangle of the picture, in its units."""

    x: float = Field(ge=0)
    y: float = Field(ge=0)
    w: float = Field(gt=0)
    h: float = Field(gt=0)


class Group(Fact):
    """A block of equal controls, in rows and columns."""

    id: Id
    role: Role
    name: Words
    """One control's name, with `{n}` for its number in the group, counted from 1."""
    message: Message
    numbers: tuple[int | str, ...] = Field(min_length=1, max_length=256)
    """The number of each, in reading order: top left first, row by row. Names for a gamepad's controls."""
    channel: Channel | None = None
    channels: tuple[Channel, ...] = ()
    """The channel of each, where they differ (faders of a Mackie Control)."""
    columns: int = Field(default=1, ge=1, le=64)
    bank: str | None = Field(default=None, max_length=40)
    """The bank or layer that has to be chosen for these numbers."""
    encoding: Encoding = "absolute"
    release: Release | None = None
    place: Place | None = None
    """Where it lies in the picture. Left out: only in the text (another bank of the same controls)."""
    note: Words | None = None
    """What else there is to know."""

    @model_validator(mode="after")
    def _as_many_channels(self) -> "Group":
        if self.channels and len(self.channels) != len(self.numbers):
            raise ValueError(
                f"`channels` has {len(self.channels)} entries for {len(self.numbers)} numbers"
            )
        return self


class Variant(Value):
    """What the device sends in one program, mode, port or firmware."""

    id: Id
    name: Words
    when: Words
    """When it is so, and how the user gets there: "PROGRAM 1, as it leaves the factory"."""
    port: str | None = Field(default=None, max_length=120)
    """A part of the name of the port that sends this, where the device has several."""
    firmware: str | None = Field(default=None, max_length=60)
    groups: tuple[Group, ...] = Field(min_length=1)


class Lights(Fact):
    """How its lights, rings or display are set."""

    groups: tuple[Id, ...] = Field(min_length=1)
    """Ids of groups that have them."""
    protocol: LightProtocol
    how: Words
    """The message to send, in words and numbers."""
    colors: dict[str, int] = Field(default_factory=dict[str, int])
    """The value for a colour or state."""
    needs: Words | None = None
    """What has to be set on the device first."""


class Remark(Fact):
    """Something else that is known: an identity reply, a mode switch, a trap."""

    title: Words
    text: Words


class Answer(Value):
    """One thing that the user may find, and what it means."""

    found: Words
    means: Words
    variant: Id | None = None


class Question(Value):
    """Where public sources disagree: ask, never assume."""

    about: Words
    ask: Words
    """What to ask the user to do: "Press pad 1"."""
    answers: tuple[Answer, ...] = Field(min_length=2)
    sources: tuple[Id, ...] = Field(min_length=2)


class UsbId(Fact):
    """The numbers that the device gives itself on USB."""

    vendor_id: int = Field(ge=0, le=0xFFFF)
    product_id: int = Field(ge=0, le=0xFFFF)


class DeviceProfile(Value):
    """Everything known of one device."""

    id: Id
    """The name of its file, without `.toml`."""
    maker: Words
    model: Words
    also: tuple[Words, ...] = ()
    """What else people call it."""
    kind: Literal[
        "pads", "keys", "grid", "mixer", "knobs", "dj", "foot", "gamepad", "drums", "other"
    ]
    summary: Words
    revision: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """The day on which its facts were last checked."""
    width: float = Field(default=100, gt=0)
    """The picture's size, in units of its own; about 10 to a pad."""
    height: float = Field(default=60, gt=0)
    sources: tuple[Source, ...] = Field(min_length=1)
    matchers: tuple[Matcher, ...] = ()
    """How its port is recognised. Never so loose that another profile's port fits."""
    usb: tuple[UsbId, ...] = ()
    variants: tuple[Variant, ...] = Field(min_length=1)
    """The first is the one that is assumed until something else is seen."""
    lights: tuple[Lights, ...] = ()
    remarks: tuple[Remark, ...] = ()
    questions: tuple[Question, ...] = ()

    @model_validator(mode="after")
    def _names_what_there_is(self) -> "DeviceProfile":
        known = {source.id for source in self.sources}
        groups = [group for variant in self.variants for group in variant.groups]
        facts: list[Fact] = [*groups, *self.lights, *self.remarks, *self.usb]
        for fact in facts:
            if missing := set(fact.sources) - known:
                raise ValueError(f"there is no source `{sorted(missing)[0]}` in `sources`")
            if fact.grade == "two_sources" and len(fact.sources) < 2:
                raise ValueError(f"`two_sources` needs two of them: {fact.sources}")
        ids = {group.id for group in groups}
        for lights in self.lights:
            if missing := set(lights.groups) - ids:
                raise ValueError(f"there is no group `{sorted(missing)[0]}`")
        variants = {variant.id for variant in self.variants}
        for question in self.questions:
            for answer in question.answers:
                if answer.variant is not None and answer.variant not in variants:
                    raise ValueError(f"there is no variant `{answer.variant}`")
        return self
