"""Assigns display names, unit numbers and device ids to the MIDI ports that a scan has found."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from conductor.devices import identity, usb
from conductor.devices.midi.apis import PortKey, get_api_name
from conductor.devices.midi.details import PortDetails
from conductor.domain.devices import DeviceIdentity, PortInfo, assign_device_ids

NO_DETAILS: Mapping[PortKey, PortDetails] = {}


class IdentifiedPort(NamedTuple):
    """A MIDI port with its description for users and the id of the device that it belongs to."""

    key: PortKey
    info: PortInfo
    device_id: str


class PortIdentifier:
    """Describes and identifies all MIDI inputs, or all MIDI outputs.

    A device keeps its unit number while it is plugged in.
    """

    def __init__(self) -> None:
        self._units: dict[PortKey, int] = {}
        self._infos: dict[PortKey, PortInfo] = {}

    def identify_ports(
        self,
        keys: Sequence[PortKey],
        identities: Sequence[DeviceIdentity],
        details: Mapping[PortKey, PortDetails] = NO_DETAILS,
    ) -> list[IdentifiedPort]:
        names = {key: identity.normalise_port_name(get_api_name(key.api), key.name) for key in keys}
        self._units = identity.assign_unit_numbers(names, self._units)
        self._infos = {key: self._build_info(key, names[key], details.get(key)) for key in keys}
        ids = assign_device_ids(identities, [self._infos[key] for key in keys])
        return [IdentifiedPort(key, self._infos[key], ids[index]) for index, key in enumerate(keys)]

    def _build_info(self, key: PortKey, name: str, details: PortDetails | None) -> PortInfo:
        known = self._infos.get(key)
        unique_id = None if details is None else details.unique_id
        if known is not None and (details is None or known.unique_id == unique_id):
            return known
        api = get_api_name(key.api)
        platform_id = identity.get_platform_id(api, key.name)
        unit = self._units[key]
        reported = None if details is None else details.usb
        found = usb.find_usb_info(platform_id) if api == "alsa" else reported
        return PortInfo(
            name=name,
            occurrence=unit,
            platform_id=platform_id,
            vendor_id=None if found is None else found.vendor_id,
            product_id=None if found is None else found.product_id,
            usb_path=None if found is None else found.path,
            unique_id=unique_id,
        )
