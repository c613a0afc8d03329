"""Device identities: which ports an alias matches, and which alias wins."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from conductor.cli.reference import map_classes_by_tag
from conductor.domain.devices import (
    DeviceIdentity,
    DeviceStatus,
    Matcher,
    MatcherBase,
    PortInfo,
    assign_device_ids,
)

PORT = PortInfo(
    name="Launchpad Mini MK3",
    occurrence=2,
    platform_id="20:0",
    vendor_id=0x1235,
    product_id=0x0113,
    usb_path="1-2.4",
    unique_id=-77,
)
OTHER = PortInfo(name="nanoKONTROL2")

FITTING: dict[str, dict[str, Any]] = {
    "NameRegex": {"pattern": r"^Launchpad (Mini|X)"},
    "NameContains": {"pattern": "launchPAD"},
    "PlatformId": {"pattern": "20:0"},
    "ExactName": {"pattern": "Launchpad Mini MK3"},
    "UsbTopology": {"pattern": "1-2.4"},
    "UsbIdentifier": {"vendor_id": 0x1235, "product_id": 0x0113},
    "CoreMidiUniqueId": {"unique_id": -77},
}


def read(raw: Any) -> MatcherBase:
    matcher = TypeAdapter(Matcher).validate_python(raw)
    assert isinstance(matcher, MatcherBase)
    return matcher


@pytest.mark.parametrize(("kind", "fields"), FITTING.items())
def test_a_matcher_recognises_its_port_and_no_other(kind: str, fields: dict[str, Any]):
    matcher = read({"type": kind, **fields})
    assert matcher.matches_port(PORT)
    assert not matcher.matches_port(OTHER)


def test_every_matcher_is_tried_here():
    assert set(FITTING) == set(map_classes_by_tag(Matcher))


@pytest.mark.parametrize(("kind", "fields"), FITTING.items())
def test_an_occurrence_picks_one_of_several_equal_units(kind: str, fields: dict[str, Any]):
    assert read({"type": kind, **fields, "occurrence": 2}).matches_port(PORT)
    assert not read({"type": kind, **fields, "occurrence": 1}).matches_port(PORT)


def test_matchers_rank_from_a_name_to_a_unique_id():
    ranked = [read({"type": kind, **fields}).specificity for kind, fields in FITTING.items()]
    assert ranked == [10, 20, 30, 40, 50, 60, 70]


def test_an_exact_name_is_exact():
    assert not read({"type": "ExactName", "pattern": "Launchpad Mini"}).matches_port(PORT)


def test_an_identity_is_as_specific_as_its_best_matcher_that_fits():
    identity = DeviceIdentity.model_validate(
        {
            "alias": "pads",
            "matchers": [
                {"type": "NameContains", "pattern": "Launchpad"},
                {"type": "ExactName", "pattern": "Launchpad Mini MK3"},
                {"type": "UsbIdentifier", "vendor_id": 1, "product_id": 1},
            ],
        }
    )
    assert identity.get_match_specificity(PORT) == 40
    assert identity.get_match_specificity(OTHER) == 0


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (
            {"type": "NameContains", "value": "Mikro"},
            {"type": "NameContains", "pattern": "Mikro"},
        ),
        ({"type": "CoreMidiUniqueId", "value": 5}, {"type": "CoreMidiUniqueId", "unique_id": 5}),
    ],
)
def test_the_older_value_is_read_as_a_pattern(raw: Any, plain: dict[str, Any]):
    assert read(raw).to_plain() == plain


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "NameRegex", "pattern": "("},
        {"type": "NameRegex", "pattern": "x" * 257},
        {"type": "NameContains", "pattern": ""},
        {"type": "UsbIdentifier", "vendor_id": 70_000, "product_id": 1},
        {"type": "Colour", "pattern": "red"},
    ],
)
def test_what_could_never_match_is_refused(raw: Any):
    with pytest.raises(ValidationError):
        read(raw)


def test_a_single_matcher_needs_no_list():
    identity = DeviceIdentity.model_validate(
        {"alias": "a", "matchers": {"type": "ExactName", "pattern": "A"}}
    )
    assert len(identity.matchers) == 1


@pytest.mark.parametrize("alias", ["", "raw:pads", "a\nb", "x" * 65])
def test_an_alias_is_a_short_name_that_no_port_can_have(alias: str):
    with pytest.raises(ValidationError):
        DeviceIdentity.model_validate(
            {"alias": alias, "matchers": [{"type": "ExactName", "pattern": "A"}]}
        )


def test_an_alias_needs_a_matcher():
    with pytest.raises(ValidationError):
        DeviceIdentity.model_validate({"alias": "a", "matchers": []})


def named(alias: str, *matchers: dict[str, Any]) -> DeviceIdentity:
    return DeviceIdentity.model_validate({"alias": alias, "matchers": matchers})


def contains(pattern: str, **more: Any) -> dict[str, Any]:
    return {"type": "NameContains", "pattern": pattern, **more}


def exactly(pattern: str) -> dict[str, Any]:
    return {"type": "ExactName", "pattern": pattern}


def test_a_device_without_an_alias_is_called_by_its_name_and_unit():
    ports = [PortInfo(name="Pad"), PortInfo(name="Pad", occurrence=2)]
    assert assign_device_ids([], ports) == ("raw:Pad", "raw:Pad #2")


def test_the_most_specific_identity_wins_wherever_it_stands():
    loose, exact = named("loose", contains("pad")), named("exact", exactly("Pad A"))
    for identities in ([loose, exact], [exact, loose]):
        ports = [PortInfo(name="Pad A"), PortInfo(name="Pad B")]
        assert assign_device_ids(identities, ports) == ("exact", "loose")


def test_two_equal_identities_share_two_equal_units_in_order():
    identities = [named("left", contains("Pad")), named("right", contains("Pad"))]
    ports = [PortInfo(name="Pad", occurrence=2), PortInfo(name="Pad", occurrence=1)]
    assert assign_device_ids(identities, ports) == ("right", "left")


def test_an_occurrence_in_a_matcher_picks_that_unit_only():
    second = named("second", contains("Pad", occurrence=2))
    ports = [PortInfo(name="Pad"), PortInfo(name="Pad", occurrence=2)]
    assert assign_device_ids([second], ports) == ("raw:Pad", "second")


def test_usb_numbers_beat_names():
    by_usb = named("usb", {"type": "UsbIdentifier", "vendor_id": 0x0944, "product_id": 0x0117})
    by_name = named("name", exactly("nanoKONTROL2"))
    port = PortInfo(name="nanoKONTROL2", vendor_id=0x0944, product_id=0x0117)
    assert assign_device_ids([by_name, by_usb], [port]) == ("usb",)


def test_the_json_form_of_a_device_has_every_field():
    device = DeviceStatus(
        device_id="pads", port_name="Pad", kind="gamepad", problem="gone", battery="low"
    )
    assert device.to_row() == device.model_dump()
