"""Finds the current names of the devices in a saved example.

An alias may be renamed, removed or assigned to another port. A saved example stores the matchers and port of
each name, so that its events come from the same device under any name.
"""

from collections.abc import Iterable, Iterator, Mapping

from conductor.domain.config import Config
from conductor.domain.devices import (
    DeviceIdentity,
    ExactName,
    NameContains,
    PlatformId,
    PortInfo,
    format_raw_device_id,
)
from conductor.domain.examples import PinnedDevice

RAW_DEVICE_PREFIX = "raw:"


def describe_devices(
    names: Iterable[str], config: Config, ports: Mapping[str, str]
) -> tuple[PinnedDevice, ...]:
    """Return the matchers and the port of each named device, to save them; `ports` maps
    aliases to connected ports.
    """
    described: list[PinnedDevice] = []
    for name in sorted(set(names)):
        identity = next((device for device in config.devices if device.alias == name), None)
        if identity is not None:
            port = ports.get(name)
            described.append(PinnedDevice(name=name, matchers=identity.matchers, port=port))
        elif name.startswith(RAW_DEVICE_PREFIX):
            described.append(PinnedDevice(name=name, port=name.removeprefix(RAW_DEVICE_PREFIX)))
    return tuple(described)


def resolve_device_names(devices: Iterable[PinnedDevice], config: Config) -> dict[str, str]:
    """Return the name that each saved device has under a config, keyed by its saved name."""
    return {device.name: resolve_device_name(device, config) for device in devices}


def resolve_device_name(device: PinnedDevice, config: Config) -> str:
    """Return the alias under which a config knows a saved device, or the raw id of the device's port."""
    scores = [
        (_get_match_specificity(identity, device), identity.alias) for identity in config.devices
    ]
    best = max((score for score, _ in scores), default=0)
    if best == 0:
        port = device.port or next((p.name for p in _list_possible_ports(device)), device.name)
        return format_raw_device_id(PortInfo(name=port))
    equal = [alias for score, alias in scores if score == best]
    return device.name if device.name in equal else equal[0]


def _get_match_specificity(identity: DeviceIdentity, device: PinnedDevice) -> int:
    """Return the specificity of the best matcher that a saved device shares or that fits
    its port; 0 if none does.
    """
    return max(
        (
            matcher.specificity
            for matcher in identity.matchers
            if matcher in device.matchers
            or any(matcher.matches_port(port) for port in _list_possible_ports(device))
        ),
        default=0,
    )


def _list_possible_ports(device: PinnedDevice) -> Iterator[PortInfo]:
    """Yield the ports that a saved device may have: its recorded port, or each port that
    its matchers name in full.
    """
    if device.port is not None:
        yield PortInfo(name=device.port)
        return
    for matcher in device.matchers:
        unit = matcher.occurrence or 1
        if isinstance(matcher, NameContains | ExactName):
            yield PortInfo(name=matcher.pattern, occurrence=unit)
        elif isinstance(matcher, PlatformId):
            yield PortInfo(name="", platform_id=matcher.pattern, occurrence=unit)
