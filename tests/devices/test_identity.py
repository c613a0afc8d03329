"""Ports are recognised by name, unit and USB ids, whatever numbers the system adds."""

from pathlib import Path

import pytest

from conductor.devices import identity, usb
from conductor.devices.identity import MAX_PORT_NAME_LENGTH, ApiName


@pytest.mark.parametrize(
    ("api", "raw", "name"),
    [
        ("alsa", "nanoKONTROL2:nanoKONTROL2 MIDI 1 20:0", "nanoKONTROL2:nanoKONTROL2 MIDI 1"),
        ("alsa", "Pad 2:out", "Pad 2:out"),
        ("jack", "Pads:out", "Pads:out"),
        ("jack", "Pads-01:out", "Pads:out"),
        ("jack", "MPK-249:out", "MPK-249:out"),
        ("winmm", "nanoKONTROL2 1", "nanoKONTROL2"),
        ("winmm", "2- Launchpad Mini 3", "Launchpad Mini"),
        ("coremidi", "Launchkey Mini MK3 MIDI", "Launchkey Mini MK3 MIDI"),
    ],
)
def test_names_are_shown_without_the_numbers_of_the_system(api: ApiName, raw: str, name: str):
    assert identity.normalise_port_name(api, raw) == name


@pytest.mark.parametrize("api", ["alsa", "jack", "winmm", "coremidi"])
@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Pads\x1b[2J\nConductor: approved", "Pads\\u001b[2J\\u000aConductor: approved"),
        ("Pads\u202egnp.exe\u200b", "Pads\\u202egnp.exe\\u200b"),
        ("Pads\u2028", "Pads\\u2028"),
        ("Clavier\u00a0maître", "Clavier\u00a0maître"),
        ("x" * 10_000, "x" * MAX_PORT_NAME_LENGTH),
        ("\u202e" * 10_000, ("\\u202e" * 50)[:MAX_PORT_NAME_LENGTH]),
    ],
)
def test_a_name_with_hidden_characters_or_of_great_length_is_made_readable(
    api: ApiName, raw: str, name: str
):
    assert identity.normalise_port_name(api, raw) == name
    assert identity.get_platform_id(api, raw) == name


def test_long_names_that_differ_only_at_the_end_stay_two_devices():
    names = {n: identity.normalise_port_name("jack", "x" * 10_000 + str(n)) for n in (1, 2)}
    assert identity.assign_unit_numbers(names, {}) == {1: 1, 2: 2}


def test_the_platform_id_of_an_alsa_port_is_its_address():
    assert identity.get_platform_id("alsa", "nano:nano MIDI 1 20:0") == "20:0"
    assert identity.get_platform_id("jack", "Pads:out") == "Pads:out"


@pytest.mark.parametrize(
    ("raw", "own"),
    [
        ("Conductor:in", True),
        ("Conductor-03:in", True),
        ("Conductor:Conductor Out 129:0", True),
        ("Conductor Out", True),
        ("Conductors:in", False),
        ("Pads:Conductor Out", False),
    ],
)
def test_own_ports_are_recognised_by_client_or_name(raw: str, own: bool):
    assert identity.is_own_port("Conductor", ["Conductor Out"], raw) is own


def test_ports_of_the_same_name_are_numbered_by_order():
    assert identity.add_name_indexes(["A", "B", "A"]) == [("A", 0), ("B", 0), ("A", 1)]


def test_a_unit_keeps_its_number_while_another_is_unplugged_and_returns():
    both = identity.assign_unit_numbers({"20:0": "Pad", "24:0": "Pad"}, {})
    assert both == {"20:0": 1, "24:0": 2}
    second = identity.assign_unit_numbers({"24:0": "Pad"}, both)
    assert second == {"24:0": 2}
    assert identity.assign_unit_numbers({"24:0": "Pad", "28:0": "Pad"}, second) == {
        "24:0": 2,
        "28:0": 1,
    }


def fake_asound(root: Path) -> Path:
    (root / "card1").mkdir()
    (root / "card1" / "usbid").write_text("0944:0117\n")
    (root / "card1" / "usbbus").write_text("001/004\n")
    (root / "card0").mkdir()
    (root / "cards").write_text(
        " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n"
        "                      HDA Intel PCH at 0xf7210000 irq 31\n"
        " 1 [nanoKONTROL2   ]: USB-Audio - nanoKONTROL2\n"
        "                      KORG INC. nanoKONTROL2 at usb-0000:00:14.0-2.4, full speed\n"
    )
    return root


def test_an_alsa_address_leads_to_the_usb_device_behind_it(tmp_path: Path):
    found = usb.find_usb_info("20:0", fake_asound(tmp_path))
    assert found == usb.UsbInfo(0x0944, 0x0117, "1-2.4")


@pytest.mark.parametrize("address", ["16:0", "14:0", "128:0", "24:0", "Pads:out", ""])
def test_a_card_that_is_not_usb_has_no_usb_data(tmp_path: Path, address: str):
    assert usb.find_usb_info(address, fake_asound(tmp_path)) is None
