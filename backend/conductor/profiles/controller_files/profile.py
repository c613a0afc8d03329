"""Builds a device profile from the controls of a controller file."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from conductor.domain.device_profile import (
    MAX_GROUPS,
    DeviceProfile,
    Group,
    Lights,
    Source,
    UsbId,
    Variant,
)
from conductor.domain.devices import NameContains
from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.controller_files.controls import (
    MAX_IMPORTED_CONTROLS,
    ControllerFile,
    FoundControl,
    OnOffLight,
    clean_imported_name,
    format_count,
)
from conductor.profiles.inference import (
    arrange_groups_in_rows,
    choose_device_kind,
    choose_profile_id,
    format_profile_summary,
    measure_picture,
    slugify_device_name,
    split_device_name,
)

MAX_GROUP_COLUMNS, MAX_LIT_GROUPS, MAX_PROFILE_LIGHTS = 8, 64, 32
_LAST_NUMBER_IN_NAME = re.compile(r"(\d{1,4})(?=\D*$)")


class ImportedProfile(NamedTuple):
    """The device profile made from a controller file, and a list of everything that was left out of it."""

    program: str
    profile: DeviceProfile
    control_count: int
    not_understood: tuple[str, ...]


class _GroupedControls(NamedTuple):
    """Controls of one kind whose names differ only in a number, so that they form one group of the profile."""

    name: str
    controls: tuple[FoundControl, ...]


def build_imported_profile(
    file: ControllerFile, file_name: str, day: str, catalog: ProfileCatalog, name: str, port: str
) -> ImportedProfile:
    """Return a device profile with the controls of a controller file.

    `name` and `port` are given by the user; without them, the name of the device and its ports come from the
    file. The id of the profile differs from those of bundled profiles. Each fact has the grade `one_source`.
    """
    full_name = clean_imported_name(name) or file.title or slugify_device_name(file_name)
    source = slugify_device_name(file.program)
    grouped = _group_controls(file.controls[:MAX_IMPORTED_CONTROLS])
    groups = arrange_groups_in_rows(_build_groups(grouped[:MAX_GROUPS], source))
    lights = _build_lights(grouped[:MAX_GROUPS], groups, source)
    width, height = measure_picture(groups)
    maker, model = split_device_name(full_name)
    ports = [one for one in dict.fromkeys((port,) if port else file.ports) if one.strip()]
    profile = DeviceProfile(
        id=choose_profile_id(full_name, catalog, "imported"),
        maker=maker,
        model=model,
        kind=choose_device_kind(groups),
        summary=format_profile_summary(groups, f"as a file for {file.program} names them"),
        revision=day,
        width=width,
        height=height,
        sources=(
            Source(
                id=source,
                title=f"{clean_imported_name(file_name) or 'A file'}, a controller file for {file.program}",
                kind="software",
            ),
        ),
        matchers=tuple(NameContains(pattern=one) for one in ports),
        usb=tuple(
            UsbId(vendor_id=vendor, product_id=product, grade="one_source", sources=(source,))
            for vendor, product in dict.fromkeys(file.usb)
        ),
        variants=(
            Variant(
                id="imported",
                name="As the file names it",
                when=f"As the author of the file for {file.program} had set the device.",
                groups=tuple(groups),
            ),
        ),
        lights=tuple(lights),
    )
    left_out = sum(len(group.controls) for group in grouped[MAX_GROUPS:])
    left_out += len(file.controls[MAX_IMPORTED_CONTROLS:])
    return ImportedProfile(
        file.program,
        profile,
        sum(len(group.numbers) for group in groups),
        (
            *_describe_replaced_profiles(ports, catalog),
            *file.not_understood,
            *format_count(
                left_out,
                "One control did not fit into the profile.",
                "{} controls did not fit into the profile.",
            ),
            *_describe_missing_facts(groups, has_port=bool(profile.matchers or profile.usb)),
        ),
    )


def _describe_replaced_profiles(ports: Sequence[str], catalog: ProfileCatalog) -> Iterable[str]:
    """Yield a sentence if the new profile would be used in place of an existing profile."""
    fits = (catalog.find_profile_for_port(port) for port in ports)
    known = next((fit.profile for fit in fits if fit is not None), None)
    if known is not None:
        yield (
            f"Conductor already has a profile for this port, {known.maker} {known.model}; "
            "if you save this one, it is used instead."
        )


def _describe_missing_facts(groups: Sequence[Group], *, has_port: bool) -> Iterable[str]:
    if any(group.role == "knob" for group in groups):
        yield "Controls with a CC that the file does not name a fader or button are shown as knobs."
    if any(group.role in ("knob", "encoder", "jog") and not group.encoding for group in groups):
        yield "The file does not say of every knob whether it turns endlessly, and how it sends a turn."
    yield "The file gives no places: the picture is only a list."
    if not has_port:
        yield (
            "The file does not name a port, so the profile matches no device: import it in Devices with the "
            "device selected, or with `--port`."
        )


def _group_controls(controls: Sequence[FoundControl]) -> list[_GroupedControls]:
    """Return the controls in groups: controls whose names differ only in a number that
    counts from 1 are one group.
    """
    series: dict[object, dict[int, FoundControl]] = {}
    for control in controls:
        key, number = _find_name_series(control)
        if key is not None:
            series.setdefault(key, {}).setdefault(number, control)
    complete = {
        key: members
        for key, members in series.items()
        if len(members) > 1 and sorted(members) == list(range(1, len(members) + 1))
    }
    grouped: list[_GroupedControls] = []
    done: set[object] = set()
    for control in controls:
        key, number = _find_name_series(control)
        if key not in complete or complete[key].get(number) is not control:
            grouped.append(_GroupedControls(control.name, (control,)))
        elif key not in done:
            done.add(key)
            members = complete[key]
            pattern = _LAST_NUMBER_IN_NAME.sub("{n}", control.name, count=1)
            grouped.append(_GroupedControls(pattern, tuple(members[at] for at in sorted(members))))
    return grouped


def _find_name_series(control: FoundControl) -> tuple[object, int]:
    """Return a key that all controls of a numbered series share, and the number of this control in the series.

    The key is None if the name of the control has no number.
    """
    found = _LAST_NUMBER_IN_NAME.search(control.name)
    if found is None:
        return None, 0
    pattern = _LAST_NUMBER_IN_NAME.sub("{n}", control.name, count=1)
    kind = control.message, control.role, control.encoding, control.release, control.light
    return (pattern, control.channel is None, *kind), int(found[1])


def _build_groups(grouped: Sequence[_GroupedControls], source: str) -> list[Group]:
    ids: set[str] = set()
    return [_build_group(group, source, ids) for group in grouped]


def _build_group(group: _GroupedControls, source: str, ids: set[str]) -> Group:
    first = group.controls[0]
    channels = [control.channel for control in group.controls if control.channel is not None]
    is_one_channel = len(set(channels)) <= 1
    return Group(
        id=_choose_group_id(group.name, ids),
        role=first.role,
        name=group.name,
        message=first.message,
        numbers=tuple(control.number for control in group.controls),
        channel=channels[0] if channels and is_one_channel else None,
        channels=() if is_one_channel else tuple(channels),
        columns=min(len(group.controls), MAX_GROUP_COLUMNS),
        encoding=first.encoding,
        release=first.release,
        grade="one_source",
        sources=(source,),
    )


def _choose_group_id(name: str, ids: set[str]) -> str:
    stem = slugify_device_name(name.replace("{n}", ""))[:56].strip("-")
    found = stem
    while found in ids:
        found = f"{stem}-{len(ids) + 1}"
    ids.add(found)
    return found


def _build_lights(
    grouped: Sequence[_GroupedControls], groups: Sequence[Group], source: str
) -> list[Lights]:
    """Return the lights of a profile. Groups whose lights have the same two values share one entry."""
    lit: dict[tuple[str, OnOffLight], list[str]] = {}
    for found, group in zip(grouped, groups, strict=True):
        light = found.controls[0].light
        if light is not None and group.message in ("note", "cc"):
            lit.setdefault((group.message, light), []).append(group.id)
    return [
        Lights(
            groups=tuple(ids[start : start + MAX_LIT_GROUPS]),
            protocol="cc_echo" if message == "cc" else "velocity_state",
            how=f"Send the control's own message: {light.on} switches its light on, {light.off} off.",
            message="cc" if message == "cc" else "note",
            colors={"off": light.off, "on": light.on},
            grade="one_source",
            sources=(source,),
        )
        for (message, light), ids in lit.items()
        for start in range(0, len(ids), MAX_LIT_GROUPS)
    ][:MAX_PROFILE_LIGHTS]
