"""The names of controls come from the profiles of the devices that are there, and from the user's choice."""

import threading
from pathlib import Path

from conductor.domain.config import Config
from conductor.domain.control_names import VIRTUAL_DEVICE
from conductor.domain.wire_rows import DeviceRow
from conductor.profiles.catalog import load_catalog
from conductor.runtime.control_naming import ControlNaming
from conductor.storage.prefs import update_prefs


def port(device_id: str, name: str) -> DeviceRow:
    return DeviceRow(
        device_id=device_id,
        port_name=name,
        kind="midi_input",
        connected=True,
        enabled=True,
        is_configured=False,
        problem=None,
    )


class Naming:
    """The naming of a computer whose devices the test chooses."""

    def __init__(self, home: Path) -> None:
        self.devices: list[DeviceRow] = []
        self._changed = threading.Event()
        self.knows_devices = threading.Event()
        self.knows_devices.set()
        self.config = Config()
        self.service = ControlNaming(
            home, self.list_devices, lambda: self.config, self._changed.set
        )

    def list_devices(self) -> list[DeviceRow]:
        assert self.knows_devices.wait(60)
        return self.devices

    def wait(self) -> None:
        assert self._changed.wait(60)
        self._changed.clear()


def test_names_are_read_when_asked_for_and_again_when_a_device_comes(tmp_path: Path) -> None:
    naming = Naming(tmp_path)
    naming.service.reload_names()  # nobody has asked: nothing is read
    naming.knows_devices.clear()
    names = naming.service.get_names()
    assert names.find_control_name(VIRTUAL_DEVICE, "note", 41) == "Pad 6"
    assert names.find_control_name(None, "note", 41) is None  # another device may be there
    naming.knows_devices.set()
    naming.wait()
    assert naming.service.get_names().find_control_name(None, "note", 41) == "Pad 6"
    naming.devices = [port("pads", "LPD8 mk2")]
    naming.service.reload_names()
    naming.wait()
    fit = load_catalog(tmp_path).find_profile_for_port("LPD8 mk2")
    assert fit is not None
    group = fit.variant.groups[0]
    found = naming.service.get_names().find_control_name("pads", group.message, group.numbers[0])
    assert found is not None
    assert found.startswith(group.name.partition("{n}")[0])


def test_the_variant_is_the_one_that_the_user_chose(tmp_path: Path) -> None:
    catalog = load_catalog(tmp_path)
    profile = next(
        one
        for one in catalog.profiles.values()
        if len(one.variants) > 1
        and one.matchers
        and set(one.variants[0].groups[0].numbers).isdisjoint(one.variants[1].groups[0].numbers)
        and one.variants[0].groups[0].message == one.variants[1].groups[0].message
    )
    name = getattr(profile.matchers[0], "pattern", "")
    assert catalog.find_profile_for_port(name) is not None
    second = profile.variants[1]
    update_prefs(tmp_path, {f"variant.{profile.id}": second.id})
    naming = Naming(tmp_path)
    naming.devices = [port("pads", name)]
    naming.service.get_names()
    naming.wait()
    group = second.groups[0]
    assert (
        naming.service.get_names().find_control_name("pads", group.message, group.numbers[0])
        is not None
    )


def test_the_users_own_name_comes_before_the_printed_one(tmp_path: Path) -> None:
    naming = Naming(tmp_path)
    own = {"virtual": {"note 41": "Kick"}, "raw:Grid": {"note 1 ch 10": "Clap"}}
    naming.config = Config.model_validate({"settings": {"names": own}})
    naming.service.get_names()
    naming.wait()
    names = naming.service.get_names()
    assert names.find_control_name(VIRTUAL_DEVICE, "note", 41, 10) == "Kick"
    assert names.find_control_name(VIRTUAL_DEVICE, "note", 40, 10) == "Pad 5"
    assert names.find_control_name("raw:Grid", "note", 1, 10) == "Clap"
    assert names.find_control_name("raw:Grid", "note", 1, 9) is None
