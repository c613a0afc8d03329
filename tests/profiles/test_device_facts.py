"""Compares each profile with tables of facts that were written from public sources, not from the profile."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conductor.domain.device_profile import DeviceProfile, Group, expand_number_runs
from conductor.domain.lights import Light, build_light_table
from conductor.profiles.files import read_profile_folder

FOLDER = Path(__file__).parents[2] / "knowledge" / "devices"
PROFILES = {profile.id: profile for profile in read_profile_folder(FOLDER).profiles}
TABLES = sorted((Path(__file__).parents[1] / "data" / "device_facts").glob("*.toml"))
DEVICES: list[dict[str, Any]] = [
    device
    for table in TABLES
    for device in tomllib.loads(table.read_text(encoding="utf-8"))["profile"]
]
NO_ADDRESS = {("arturia-minilab-3", "echoes")}
"""Sources that nobody can open: a measurement of one unit whose page is gone."""
_FACT = re.compile(
    r"(?P<variant>[\w-]+)\.(?P<group>[\w-]+) (?P<message>\w+) (?P<numbers>[\d,-]+)"
    r"(?: channel (?P<channel>\d+))?(?: channels (?P<channels>[\d-]+))?"
    r"(?: coding (?P<coding>\w+))?(?: first (?P<first>\d+))?"
)
_LIGHT = re.compile(
    r"(?P<message>note|cc) (?P<number>\d+)(?:@(?P<channel>\d+))? (?P<color>[\w ]+) = (?P<bytes>.+)"
)


def each(kind: str) -> list[Any]:
    return [
        pytest.param(device["id"], fact, id=f"{device['id']}: {fact}")
        for device in DEVICES
        for fact in device.get(kind, ())
    ]


def find_group(profile: DeviceProfile, variant: str, group: str) -> Group:
    groups = next(each.groups for each in profile.variants if each.id == variant)
    return next(each for each in groups if each.id == group)


@pytest.mark.parametrize(("profile", "fact"), each("facts"))
def test_a_control_sends_what_a_public_source_says(profile: str, fact: str):
    said = _FACT.fullmatch(fact)
    assert said is not None
    group = find_group(PROFILES[profile], said["variant"], said["group"])
    numbers = expand_number_runs(said["numbers"].split(","))
    assert group.message == said["message"]
    assert sorted({int(number) for number in group.numbers}) == sorted(map(int, numbers))
    if said["channel"]:
        assert group.channel == int(said["channel"])
    if said["channels"]:
        assert list(group.channels) == expand_number_runs([said["channels"]])
    if said["coding"]:
        assert group.encoding == said["coding"]
    if said["first"]:
        assert group.numbers[0] == int(said["first"])


@pytest.mark.parametrize(("profile", "fact"), each("lights"))
def test_a_light_is_set_by_the_bytes_that_a_public_source_names(profile: str, fact: str):
    said = _LIGHT.fullmatch(fact)
    assert said is not None
    channel = int(said["channel"]) if said["channel"] else None
    light = Light(said["message"], int(said["number"]), channel, said["color"])
    [message] = build_light_table(PROFILES[profile]).build_messages(light)
    assert message.hex(" ").upper() == said["bytes"]


@pytest.mark.parametrize(("profile", "fact"), each("usb"))
def test_a_device_has_the_usb_numbers_that_a_public_source_names(profile: str, fact: str):
    known = {f"{usb.vendor_id:04x}:{usb.product_id:04x}" for usb in PROFILES[profile].usb}
    assert fact in known


def test_every_source_of_a_profile_has_an_address():
    without = {
        (profile.id, source.id)
        for profile in PROFILES.values()
        for source in profile.sources
        if source.url is None
    }
    assert without == NO_ADDRESS
    assert all(device["source"].startswith("https://") for device in DEVICES)


def test_every_encoder_and_jog_wheel_has_a_coding():
    uncoded = [
        (profile.id, variant.id, group.id)
        for profile in PROFILES.values()
        for variant in profile.variants
        for group in variant.groups
        if group.role in ("encoder", "jog") and group.encoding is None
    ]
    assert uncoded == []
