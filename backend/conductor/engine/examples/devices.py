"""What a device's name in a kept example is called now.

An alias is only a name: it may be renamed, removed, or given to another port. A kept example remembers what
it stood for, so that its events come from the same device whatever that is called.
"""

from collections.abc import Iterable, Iterator, Mapping

from conductor.domain.config import Config
from conductor.domain.devices import (
    DeviceIdentity,
    ExactName,
    NameContains,
    PlatformId,
    PortInfo,
    raw_id,
)
from conductor.domain.examples import KeptDevice

RAW = "raw:"


def keep_devices(
    names: Iterable[str], config: Config, ports: Mapping[str, str]
) -> tuple[KeptDevice, ...]:
    """Return what each name stands for; `ports` has the port of each alias that is plugged in."""
    kept: list[KeptDevice] = []
    for name in sorted(set(names)):
        identity = next((one for one in config.devices if one.alias == name), None)
        if identity is not None:
            port = ports.get(name)
            kept.append(KeptDevice(name=name, matchers=identity.matchers, port=port))
        elif name.startswith(RAW):
            kept.append(KeptDevice(name=name, port=name.removeprefix(RAW)))
    return tuple(kept)


def names_now(devices: Iterable[KeptDevice], config: Config) -> dict[str, str]:
    """Return what each kept device is called under a config."""
    return {one.name: name_now(one, config) for one in devices}


def name_now(device: KeptDevice, config: Config) -> str:
    """Return the alias that fits best, or the id of a port without one."""
    scores = [(_score(identity, device), identity.alias) for identity in config.devices]
    best = max((score for score, _ in scores), default=0)
    if best == 0:
        port = device.port or next((p.name for p in _ports(device)), device.name)
        return raw_id(PortInfo(name=port))
    equal = [alias for score, alias in scores if score == best]
    return device.name if device.name in equal else equal[0]


def _score(identity: DeviceIdentity, device: KeptDevice) -> int:
    """Return how well an identity fits: a matcher that is still the same one fits as it did."""
    return max(
        (
            matcher.specificity
            for matcher in identity.matchers
            if matcher in device.matchers or any(matcher.matches(port) for port in _ports(device))
        ),
        default=0,
    )


def _ports(device: KeptDevice) -> Iterator[PortInfo]:
    """Build the ports that the device may be: the one it was on, else what its matchers spell out."""
    if device.port is not None:
        yield PortInfo(name=device.port)
        return
    for matcher in device.matchers:
        unit = matcher.occurrence or 1
        if isinstance(matcher, NameContains | ExactName):
            yield PortInfo(name=matcher.pattern, occurrence=unit)
        elif isinstance(matcher, PlatformId):
            yield PortInfo(name="", platform_id=matcher.pattern, occurrence=unit)
