"""Renders a device profile as sections of Markdown, which the knowledge index contains.

Each section can be understood without the others, because a search may return it alone.
"""

import itertools
from collections.abc import Iterable, Sequence

from conductor.domain.device_profile import (
    ControlMessage,
    DeviceProfile,
    Fact,
    Group,
    Lights,
    Question,
    Variant,
)

MarkdownSection = tuple[tuple[str, ...], str]
"""The headings above a section, the first of which is the name of the device, and the section's text."""

MAX_SECTION_CHARS, MIN_SECTION_CHARS = 1_800, 260
"""The length above which a section is split, and the length below which it is appended to another."""

_TEXT_BY_MESSAGE: dict[ControlMessage, str] = {
    "note": "note",
    "cc": "CC",
    "pitch_bend": "pitch bend",
    "program_change": "program change",
    "channel_pressure": "channel pressure",
    "nrpn": "NRPN",
    "button": "gamepad button",
    "axis": "gamepad axis",
    "gamepad_trigger": "gamepad trigger",
}
_TEXT_BY_ENCODING = {
    "absolute": "absolute, 0 to 127",
    "twos_complement": "relative, twos_complement: 1 right, 127 left",
    "offset_64": "relative, offset_64: 65 right, 63 left",
    "sign_magnitude": "relative, sign_magnitude: 1 right, 65 left",
    "sign_magnitude_reversed": "relative: 65 right, 1 left, which is sign_magnitude the other way round",
}
_TEXT_BY_RELEASE = {
    "note_off": "released: note-off",
    "note_off_64": "released: note-off with velocity 64",
    "note_on_0": "released: note-on with velocity 0",
    "value_0": "released: 0",
    "toggle": "toggles: the second press switches off, so a long press cannot be told",
}


def build_markdown_sections(profile: DeviceProfile) -> list[MarkdownSection]:
    """Return the sections of Markdown that describe a profile: its controls, lights and notes."""
    title = f"{profile.maker} {profile.model}"
    parts = [
        *_describe_controls(profile),
        ("Lights", _describe_lights(profile), profile.lights),
        ("Good to know", _describe_remarks(profile), [*profile.usb, *profile.remarks]),
    ]
    texts: list[tuple[str, str]] = []
    for heading, lines, facts in parts:
        if lines:
            _add_markdown_section(
                texts, heading, _join_lines([*lines, *_describe_evidence(profile, facts)])
            )
    return [
        ((title, heading), f"{_format_heading(profile, heading)}\n\n{text}")
        for heading, text in texts
    ]


def format_number_ranges(numbers: Sequence[int | str]) -> str:
    """Return control numbers as text with ranges, such as `36-51`, or `1-22 in steps of 3`."""
    runs: list[str] = []
    rest = list(numbers)
    while rest:
        length, step = _measure_even_run(rest)
        by = f" in steps of {step}" if step > 1 else ""
        runs.append(f"{rest[0]}-{rest[length - 1]}{by}" if length > 1 else str(rest[0]))
        rest = rest[length:]
    return ", ".join(runs)


def sort_numbers_in_device_order(group: Group) -> tuple[int | str, ...]:
    """Return the control numbers of a group in the order in which the device itself counts them."""
    if not group.rows_from_bottom:
        return group.numbers
    starts = range(0, len(group.numbers), group.columns)
    rows = [group.numbers[start : start + group.columns] for start in starts]
    return tuple(number for row in reversed(rows) for number in row)


def _measure_even_run(numbers: Sequence[int | str]) -> tuple[int, int]:
    """Return the length and the step of the longest evenly spaced series at the start of the numbers."""
    first, *others = numbers
    if not others or not isinstance(first, int) or not isinstance(others[0], int):
        return 1, 0
    step, length = others[0] - first, 1
    while length < len(numbers) and numbers[length] == first + step * length:
        length += 1
    return (length, step) if length >= (3 if step == 1 else 6) and step > 0 else (1, 0)


def _format_heading(profile: DeviceProfile, heading: str) -> str:
    """Return a heading with the name of the device, because a search may return the section alone."""
    also = f" (also {', '.join(profile.also)})" if profile.also else ""
    return f"{profile.maker} {profile.model}{also} - {heading}:"


def _describe_controls(profile: DeviceProfile) -> list[tuple[str, list[str], Sequence[Fact]]]:
    """Return sections about the controls of all variants of a device.

    If the text is long, the other variants are described in separate sections.
    """
    first, *others = [_describe_variant(profile, variant) for variant in profile.variants]
    if len("\n".join([profile.summary, *first, *(line for lines in others for line in lines)])) < (
        MAX_SECTION_CHARS
    ):
        groups = [group for variant in profile.variants for group in variant.groups]
        lines = [line for variant_lines in (first, *others) for line in variant_lines]
        return [("Controls", [profile.summary, *lines], groups)]
    names = ", ".join(variant.name for variant in profile.variants[1:])
    start = [profile.summary, *first, *([f"Other modes: {names}."] if names else [])]
    return [
        ("Controls", start, profile.variants[0].groups),
        *_describe_other_modes(profile, others),
    ]


def _describe_other_modes(
    profile: DeviceProfile, texts: Sequence[list[str]]
) -> list[tuple[str, list[str], Sequence[Fact]]]:
    packed: list[tuple[str, list[str], Sequence[Fact]]] = []
    for variant, lines in zip(profile.variants[1:], texts, strict=True):
        if packed and sum(map(len, (*packed[-1][1], *lines))) < MAX_SECTION_CHARS:
            heading, before, facts = packed[-1]
            packed[-1] = (
                f"{heading}; {variant.name}",
                [*before, *lines],
                [*facts, *variant.groups],
            )
        else:
            packed.append((variant.name, lines, variant.groups))
    return packed


def _describe_variant(profile: DeviceProfile, variant: Variant) -> list[str]:
    port = f' Port: its name contains "{variant.port}".' if variant.port else ""
    mixed = len({group.grade for group in variant.groups}) > 1
    common = _find_usual_channel(variant.groups)
    everywhere = f" On channel {common} unless it says otherwise." if common else ""
    head = "" if len(profile.variants) == 1 and not port else f"{variant.name}: "
    switch = f" Switched on by {'; '.join(variant.setup)}." if variant.setup else ""
    back = f" Back: {'; '.join(variant.restore)}." if variant.restore else ""
    return [
        f"{head}{variant.when}{port}{switch}{back}{everywhere}",
        *(describe_control_group(group, mixed=mixed, common=common) for group in variant.groups),
    ]


def _find_usual_channel(groups: Sequence[Group]) -> int | None:
    """Return the channel that most groups use, or None if mentioning it once would hardly shorten the text."""
    channels = [group.channel for group in groups if group.channel is not None]
    usual = max(channels, key=channels.count, default=None)
    open_ones = any(group.channel is None and not group.channels for group in groups)
    return None if usual is None or channels.count(usual) < 3 or open_ones else usual


def describe_control_group(group: Group, *, mixed: bool = False, common: int | None = None) -> str:
    """Return a line about the controls of a group, such as `- Pads 1-8: notes 36-43 on channel 10.`"""
    count = len(group.numbers)
    name = group.name.replace(
        " {n}", f"s 1-{count}" if _is_plain_role_name(group) else f" 1-{count}"
    )
    name = name.replace("{n}", f"1-{count}")
    role = "" if group.role in name.lower() else f" ({group.role})"
    known = (
        group.bank,
        "counted from the bottom left" if group.rows_from_bottom else None,
        _TEXT_BY_ENCODING[group.encoding] if group.encoding else None,
        _TEXT_BY_RELEASE[group.release] if group.release else None,
        "one source" if mixed and group.grade == "one_source" else None,
    )
    more = "; ".join(word for word in known if word)
    note = f" {group.note}" if group.note else ""
    where = "" if common is not None and group.channel == common else _format_channel(group)
    return (
        f"- {name}{role}: {_describe_messages(group)}{where}{f' ({more})' if more else ''}.{note}"
    )


def _is_plain_role_name(group: Group) -> bool:
    return group.name.lower() == f"{group.role} {{n}}"


def _describe_messages(group: Group) -> str:
    if group.message in ("pitch_bend", "channel_pressure"):
        return _TEXT_BY_MESSAGE[group.message]
    numbers = sort_numbers_in_device_order(group)
    one = len(set(numbers)) == 1
    message = _TEXT_BY_MESSAGE[group.message]
    if not one and group.message not in ("cc", "nrpn"):
        message = "gamepad axes" if group.message == "axis" else f"{message}s"
    grid = group.columns > 1 and len(numbers) > group.columns
    falling = grid and isinstance(numbers[0], int) and numbers[0] > int(numbers[-1])
    order = " from the top row down" if falling else ""
    return f"{message} {format_number_ranges(numbers[:1] if one else numbers)}{order}"


def _format_channel(group: Group) -> str:
    if group.channels:
        return f" on channels {format_number_ranges(group.channels)}, one each"
    return f" on channel {group.channel}" if group.channel is not None else ""


def _describe_lights(profile: DeviceProfile) -> list[str]:
    mixed = len({lights.grade for lights in profile.lights}) > 1
    return [_describe_light(profile, lights, mixed=mixed) for lights in profile.lights]


def _describe_light(profile: DeviceProfile, lights: Lights, *, mixed: bool) -> str:
    groups = {group.id: group for variant in profile.variants for group in variant.groups}
    names = ", ".join(
        " ".join(groups[one].name.replace("{n}", "").split()) for one in lights.groups
    )
    colors = ", ".join(f"{value} {color}" for color, value in lights.colors.items())
    values = f" Values: {colors}." if colors else ""
    needs = f" First: {lights.needs}" if lights.needs else ""
    needs += f" First send {'; '.join(lights.setup)}." if lights.setup else ""
    alone = _describe_single_fact(lights, mixed=mixed)
    return f"- {names} ({lights.protocol}){alone}: {lights.how}{values}{needs}"


def _describe_remarks(profile: DeviceProfile) -> list[str]:
    facts: list[Fact] = [*profile.usb, *profile.remarks]
    mixed = len({fact.grade for fact in facts}) > 1
    usb = _describe_usb(profile)
    return [
        *([f"- USB: {usb}{_describe_single_fact(profile.usb[0], mixed=mixed)}."] if usb else []),
        *(
            f"- {remark.title}{_describe_single_fact(remark, mixed=mixed)}: {remark.text}"
            for remark in profile.remarks
        ),
        *(_describe_question(profile, question) for question in profile.questions),
    ]


def _describe_single_fact(fact: Fact, *, mixed: bool) -> str:
    return " (one source)" if mixed and fact.grade == "one_source" else ""


def _describe_usb(profile: DeviceProfile) -> str:
    """Return a line with the USB vendor and product ids of the device in hexadecimal."""
    by_vendor: dict[int, list[int]] = {}
    for usb in profile.usb:
        by_vendor.setdefault(usb.vendor_id, []).append(usb.product_id)
    return "; ".join(
        f"{vendor:04x}:" + ", ".join(_format_hex_runs(sorted(products)))
        for vendor, products in by_vendor.items()
    )


def _format_hex_runs(numbers: list[int]) -> list[str]:
    runs: list[str] = []
    while numbers:
        length, step = _measure_even_run(numbers)
        length = length if step == 1 else 1
        last = f"-{numbers[length - 1]:04x}" if length > 1 else ""
        runs.append(f"{numbers[0]:04x}{last}")
        numbers = numbers[length:]
    return runs


def _describe_question(profile: DeviceProfile, question: Question) -> str:
    answers = "; ".join(f"{answer.found} means: {answer.means}" for answer in question.answers)
    return (
        f"- Sources disagree about this: {question.about}. Do not assume; ask the user: "
        f"{question.ask} {answers}. (Sources: {_format_titles(profile, question.sources)}.)"
    )


def _describe_evidence(profile: DeviceProfile, facts: Sequence[Fact]) -> list[str]:
    """Return lines that say how reliable the facts of a section are and which sources they come from."""
    grades = {fact.grade for fact in facts}
    used = [source for fact in facts for source in fact.sources]
    have_same_sources = len({fact.sources for fact in facts}) == 1
    if not facts:
        return []
    if grades == {"one_source"}:
        words = "One source says so" if have_same_sources else "One source each"
    elif grades == {"two_sources"}:
        words = "At least two sources agree"
    else:
        words = "At least two sources agree, except where it says one source"
    return [f"{words}: {_format_titles(profile, used)}."]


def _format_titles(profile: DeviceProfile, ids: Iterable[str]) -> str:
    used = set(ids)
    return "; ".join(source.title for source in profile.sources if source.id in used)


def _join_lines(lines: Sequence[str]) -> str:
    """Return Markdown lines as one text, with a blank line after each list so that it ends there."""
    ends = [
        before.startswith("- ") and not line.startswith("- ")
        for before, line in itertools.pairwise(lines)
    ]
    return "".join(
        f"{line}\n\n" if ended else f"{line}\n"
        for line, ended in zip(lines, [*ends, False], strict=True)
    ).rstrip()


def _add_markdown_section(texts: list[tuple[str, str]], heading: str, text: str) -> None:
    """Add a section to the texts; a very short section is appended to the previous one."""
    if (
        texts
        and len(text) < MIN_SECTION_CHARS
        and len(texts[-1][1]) + len(text) < MAX_SECTION_CHARS
    ):
        before, start = texts[-1]
        texts[-1] = (f"{before}, {heading.lower()}", f"{start}\n\n{text}")
    else:
        texts.append((heading, text))
