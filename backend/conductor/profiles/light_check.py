"""Explains why a device cannot show the light of a `Led` action, before a mapping performs the action."""

from collections.abc import Iterable

from conductor.domain.config import Config
from conductor.domain.lights import Light, build_light_table, build_missing_profile_error
from conductor.errors import ActionFailed
from conductor.profiles.catalog import MatchedProfile, ProfileCatalog


def explain_unlit(
    catalog: ProfileCatalog, config: Config, device: str, light: Light, ports: Iterable[str]
) -> str | None:
    """Return why a device cannot show a light, or None if it can.

    `ports` are the names of the device's connected outputs. Without any, the profile is found by the
    matchers of the alias, or by the name itself.
    """
    found = _find_device_profile(catalog, config, device, ports)
    try:
        table = None if found is None else build_light_table(found.profile)
        if table is not None and table.rows:
            table.build_messages(light)
        elif not isinstance(light.color, int):
            raise build_missing_profile_error(device, light)
    except ActionFailed as reason:
        return str(reason)
    except ValueError as problem:
        return f"the lights of its device profile cannot be used: {problem}"
    return None


def _find_device_profile(
    catalog: ProfileCatalog, config: Config, device: str, ports: Iterable[str]
) -> MatchedProfile | None:
    for port in ports:
        if found := catalog.find_profile_for_port(port):
            return found
    alias = next((known for known in config.devices if known.alias == device), None)
    return (
        catalog.find_profile_for_port(device)
        if alias is None
        else catalog.find_profile_for_alias(alias)
    )
