"""Derives a device profile from a minute of playing the pads, knobs and faders of a device."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import Literal, NamedTuple

from conductor.domain.device_profile import (
    ControlRole,
    DeviceProfile,
    Group,
    PictureArea,
    Source,
    ValueEncoding,
    Variant,
)
from conductor.domain.devices import ExactName
from conductor.domain.events import InputEvent
from conductor.domain.triggers.encoder_coding import decode_relative_steps
from conductor.errors import InvalidParams
from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.control_groups import (
    ControlBlock,
    LearnStep,
    count_columns,
    group_controls_into_blocks,
    is_keyboard,
)
from conductor.profiles.played_controls import (
    FINE_PART_OFFSET,
    collect_played_controls,
    find_common_encoding,
    find_common_release,
)

PLAYED_SOURCE_ID = "played"
CONTROL_SIZE_BY_ROLE: dict[ControlRole, tuple[float, float]] = {
    "pad": (13, 13),
    "key": (6, 24),
    "knob": (13, 14),
    "encoder": (13, 14),
    "fader": (9, 36),
    "strip": (9, 36),
    "trigger": (9, 30),
    "stick": (9, 30),
}
"""The width and height of a control in the picture, by role; other roles have the size of a button."""
BUTTON_CONTROL_SIZE = (13, 8)
PICTURE_MARGIN, GROUP_SPACING, MAX_PICTURE_WIDTH = 6.0, 6.0, 150.0
TURNED_CONTROL_ROLES: tuple[ControlRole, ...] = (
    "knob",
    "encoder",
    "fader",
    "strip",
    "stick",
    "jog",
    "trigger",
)
DeviceKind = Literal["pads", "keys", "grid", "mixer", "knobs", "gamepad", "other"]
DEVICE_KIND_BY_ROLE: dict[ControlRole, DeviceKind] = {
    "pad": "pads",
    "key": "keys",
    "fader": "mixer",
    "knob": "knobs",
}


class TimeSpan(NamedTuple):
    """The time from the start of one request to the player to the start of the next."""

    start: float
    end: float


class DeviceDetails(NamedTuple):
    """The properties of a device that cannot be derived from its messages."""

    name: str
    """The maker and model of the device, such as `Acme Grid 16`."""
    day: str
    """The date on which the device was played, such as 2026-11-21."""
    ports: tuple[str, ...] = ()
    """The names of the ports of the device, by which the profile will match."""
    id: str = ""
    """The id of the profile; if empty, the id is made from the name of the device."""


def infer_profile(
    events: Sequence[InputEvent],
    details: DeviceDetails,
    steps: Sequence[LearnStep] = (),
    group_columns: Mapping[str, int] | None = None,
) -> DeviceProfile:
    """Return a device profile derived from a recording in which all controls of the device were played.

    The pads must be played from the lower left and the other controls from the upper left, row by row,
    with a pause between blocks and one bank after another. `steps` contains the requests that the player saw,
    with their times. `group_columns` contains the number of columns of each group, by the id of the group; the
    number for a group of the first bank is also that of the other banks.

    Raises:
        InvalidParams: the recording has no events.
    """
    blocks = group_controls_into_blocks(collect_played_controls(events), steps)
    if not blocks:
        raise InvalidParams("nothing was played; press a pad or turn a knob, then try again")
    groups = _build_groups(blocks, group_columns or {}, _list_right_turns(steps))
    groups = arrange_groups_in_rows(groups)
    width, height = measure_picture(groups)
    maker, model = split_device_name(details.name)
    return DeviceProfile(
        id=details.id or slugify_device_name(details.name),
        maker=maker,
        model=model,
        kind=choose_device_kind(groups),
        summary=format_profile_summary(groups, "as they were played"),
        revision=details.day,
        width=width,
        height=height,
        sources=(Source(id=PLAYED_SOURCE_ID, title=f"Played on {details.day}", kind="measured"),),
        matchers=tuple(ExactName(pattern=port) for port in dict.fromkeys(details.ports)),
        variants=(
            Variant(
                id="played",
                name="As it was played",
                when=f"As it was set on {details.day}.",
                groups=tuple(groups),
            ),
        ),
    )


def slugify_device_name(name: str) -> str:
    """Return a profile id for a device name, such as `acme-grid-16` for `Acme Grid 16`."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64].rstrip("-") or "my-device"


def choose_profile_id(name: str, catalog: ProfileCatalog, suffix: str) -> str:
    """Return an id for a profile of the user; it gets a suffix if a bundled profile already has it."""
    profile_id = slugify_device_name(name)
    is_bundled = profile_id in catalog.profiles and profile_id not in catalog.own
    return f"{profile_id[: 63 - len(suffix)].rstrip('-')}-{suffix}" if is_bundled else profile_id


def split_device_name(name: str) -> tuple[str, str]:
    """Return the maker and the model in the name of a device."""
    words = name.split(maxsplit=1)
    return (words[0], words[1]) if len(words) > 1 else ("My", name.strip() or "device")


def _list_right_turns(steps: Sequence[LearnStep]) -> list[TimeSpan]:
    """Return the times in which the player was asked to turn a knob to the right."""
    ends = [*(step.at for step in steps[1:]), inf]
    return [
        TimeSpan(step.at, end) for step, end in zip(steps, ends, strict=False) if step.turn_right
    ]


def list_uncertain_turns(profile: DeviceProfile) -> list[Group]:
    """Return the groups of endless knobs that the player should turn to the right once more, because
    their direction is uncertain.

    Either they were turned one way only, or they send 1 and 65, of which either may be clockwise.
    """
    return [
        group
        for group in profile.variants[0].groups
        if group.role in ("encoder", "jog") and group.encoding in (None, "sign_magnitude")
    ]


def _build_groups(
    blocks: Sequence[ControlBlock],
    group_columns: Mapping[str, int],
    right_turns: Sequence[TimeSpan],
) -> list[Group]:
    seen: Counter[tuple[ControlRole, int]] = Counter()
    groups: list[Group] = []
    for block in blocks:
        role = _choose_role(block)
        role_and_bank = role, max(block.bank, 1)
        seen[role_and_bank] += 1
        group = _build_group(block, role, seen[role_and_bank], group_columns)
        groups.append(_apply_right_turns(group, block, right_turns))
    return groups


def _build_group(
    block: ControlBlock, role: ControlRole, position: int, group_columns: Mapping[str, int]
) -> Group:
    bank = chr(ord("A") + block.bank - 1) if block.bank else ""
    first_bank_name = f"{role}-{position}" if position > 1 else role
    name = f"{first_bank_name}-bank-{bank.lower()}" if block.bank > 1 else first_bank_name
    wanted = group_columns.get(name) or group_columns.get(first_bank_name, 0)
    columns = wanted if wanted and block.control_count % wanted == 0 else count_columns(block, role)
    from_bottom = role == "pad" and columns < block.control_count
    order = (
        _reverse_row_order(list(range(block.control_count)), columns)
        if from_bottom
        else list(range(block.control_count))
    )
    keys = [block.controls[at].key for at in order]
    channels = tuple(key.channel for key in keys)
    is_one_channel = len(set(channels)) == 1
    return Group(
        id=name,
        role=role,
        name=_format_group_name(role, position, block.control_count),
        message=keys[0].message,
        numbers=tuple(key.number for key in keys),
        channel=channels[0] if is_one_channel and channels[0] else None,
        channels=() if is_one_channel else channels,
        columns=columns,
        bank=f"Bank {bank}" if bank else None,
        rows_from_bottom=from_bottom,
        encoding=_choose_encoding(block),
        release=find_common_release(block.controls),
        grade="one_source",
        sources=(PLAYED_SOURCE_ID,),
        note=_describe_fine_parts(block),
    )


def _describe_fine_parts(block: ControlBlock) -> str | None:
    """Return a sentence about the controls that send 14-bit values, or None if there are none."""
    fine = [control.key.number for control in block.controls if control.has_fine_part]
    if not fine:
        return None
    which = "" if len(fine) == block.control_count else f"CC {', '.join(map(str, sorted(fine)))}: "
    return f"{which}14 bits, with the fine part on the CC that is {FINE_PART_OFFSET} higher."


def _apply_right_turns(group: Group, block: ControlBlock, right_turns: Sequence[TimeSpan]) -> Group:
    """Return the group with the direction of its turns, if the player has turned one
    of its knobs to the right.
    """
    coding = group.encoding
    if coding is None or coding in ("absolute", "sign_magnitude_reversed"):
        return group
    steps = [
        decode_relative_steps(coding, int(event.value))
        for control in block.controls
        for event in control.events
        if any(start <= event.time < end for start, end in right_turns)
    ]
    if sum(steps) >= 0:
        return group
    if coding == "sign_magnitude":
        return group.model_copy(update={"encoding": "sign_magnitude_reversed"})
    return group.model_copy(update={"note": "Turning right sends what others send for left."})


def _format_group_name(role: ControlRole, position: int, size: int) -> str:
    """Return the pattern for the names of a group's controls: `Pad {n}`, or `Pad 2.{n}` for a second group."""
    if size == 1:
        return f"{role.capitalize()} {position}" if position > 1 else role.capitalize()
    return f"{role.capitalize()} {position}.{{n}}" if position > 1 else f"{role.capitalize()} {{n}}"


def _choose_encoding(block: ControlBlock) -> ValueEncoding | None:
    return find_common_encoding(block.controls) if block.controls[0].turns else None


def _reverse_row_order(order: list[int], columns: int) -> list[int]:
    """Return the positions of controls that were played from the bottom row up,
    reordered from the top row down.
    """
    starts = range(0, len(order), columns)
    return [index for start in reversed(starts) for index in order[start : start + columns]]


def _choose_role(block: ControlBlock) -> ControlRole:
    """Return the role of the controls in a block: the requested role if it fits the
    messages, else the likeliest.
    """
    first = block.controls[0]
    requested = block.step.role if block.step else None
    if first.relative:
        return requested if requested == "jog" else "encoder"
    if requested and (requested in TURNED_CONTROL_ROLES) == first.turns and requested != "encoder":
        return requested
    if first.turns:
        turning: dict[str, ControlRole] = {
            "pitch_bend": "fader" if block.control_count > 1 else "strip",
            "channel_pressure": "strip",
            "axis": "stick",
            "gamepad_trigger": "trigger",
        }
        return turning.get(first.key.message, "knob")
    if is_keyboard(block):
        return "key"
    return "pad" if block.is_velocity_sensitive else "button"


def measure_picture(groups: Sequence[Group]) -> tuple[float, float]:
    """Return the width and the height of the picture around all placed groups."""
    places = [group.place for group in groups if group.place]
    return max(place.x + place.w for place in places) + PICTURE_MARGIN, (
        max(place.y + place.h for place in places) + PICTURE_MARGIN
    )


def arrange_groups_in_rows(groups: Sequence[Group]) -> list[Group]:
    """Return the groups, with those of the first bank placed in rows in the order in which they were played."""
    placed: list[Group] = []
    x = y = PICTURE_MARGIN
    tallest = 0.0
    first = next((group.bank for group in groups if group.bank), None)
    for group in groups:
        if group.bank not in (None, first):
            placed.append(group)
            continue
        one_w, one_h = CONTROL_SIZE_BY_ROLE.get(group.role, BUTTON_CONTROL_SIZE)
        w, h = one_w * group.columns, one_h * -(-len(group.numbers) // group.columns)
        if x > PICTURE_MARGIN and x + w > MAX_PICTURE_WIDTH:
            x, y, tallest = PICTURE_MARGIN, y + tallest + GROUP_SPACING, 0.0
        placed.append(group.model_copy(update={"place": PictureArea(x=x, y=y, w=w, h=h)}))
        x, tallest = x + w + GROUP_SPACING, max(tallest, h)
    return placed


def choose_device_kind(groups: Sequence[Group]) -> DeviceKind:
    """Return the kind of device that typically has these controls."""
    if groups[0].message in ("button", "axis", "gamepad_trigger"):
        return "gamepad"
    most = Counter[ControlRole]()
    for group in groups:
        most[group.role] += len(group.numbers)
    role = most.most_common(1)[0][0]
    if role == "pad" and most[role] >= 64:
        return "grid"
    return DEVICE_KIND_BY_ROLE.get(role, "knobs" if role in TURNED_CONTROL_ROLES else "other")


def format_profile_summary(groups: Sequence[Group], origin: str) -> str:
    """Return a sentence with the number of controls of each role, which ends with the
    origin of this knowledge.
    """
    counts: dict[ControlRole, int] = {}
    banks: dict[ControlRole, int] = {}
    for group in groups:
        if group.bank in (None, "Bank A"):
            counts[group.role] = counts.get(group.role, 0) + len(group.numbers)
        if group.bank:
            banks[group.role] = max(banks.get(group.role, 0), ord(group.bank[-1]) - ord("A") + 1)
    words = [
        f"{count} {role if count == 1 else f'{role}s'}"
        + (f" in {banks[role]} banks" if banks.get(role, 0) > 1 else "")
        for role, count in counts.items()
    ]
    return f"{', '.join(words)}, {origin}."
