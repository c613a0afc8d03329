"""Describes the devices, modes and profiles of a config in 150 to 250 tokens for the system prompt.

The description depends on the config alone, so that the provider can cache it.
"""

from collections.abc import Iterable, Sequence

from conductor.agent.untrusted import format_one_line
from conductor.domain.config import Config, Mode, Profile
from conductor.domain.devices import DeviceIdentity

MAX_TOPOLOGY_CHARACTERS = 1_000
"""The maximum length of the description; 1,000 characters are about 250 tokens."""


def describe_topology(config: Config) -> str:
    """Return a description of the devices, modes and profiles.

    A list that was cut ends with the name of the tool that returns the whole list.
    """
    lines = [
        "## Current config",
        _format_topology_line(
            "Devices",
            map(_format_device, config.devices),
            "none named yet",
            "conductor_list_devices",
        ),
        _format_topology_line(
            "Modes", map(_format_mode, config.modes), "none", "conductor_list_modes"
        ),
        f"Global mappings: {len(config.global_mappings)}",
        _format_topology_line(
            "Profiles by app",
            map(_format_profile, config.profiles),
            "none",
            "conductor_list_profiles",
        ),
    ]
    cmd_key = config.settings.engine.cmd_key
    if cmd_key != "auto":  # the core reference explains this setting to the model
        lines.append(f"`cmd` in keys: {cmd_key}")
    return "\n".join(lines)


def _format_topology_line(title: str, items: Iterable[str], empty_text: str, tool: str) -> str:
    shown, total = _select_fitting_items(list(items), MAX_TOPOLOGY_CHARACTERS // 3)
    more = f"; and {total - len(shown)} more ({tool})" if total > len(shown) else ""
    return f"{title}: {'; '.join(shown) or empty_text}{more}"


def _select_fitting_items(items: Sequence[str], characters: int) -> tuple[list[str], int]:
    shown: list[str] = []
    for item in items:
        characters -= len(item) + 2
        if characters < 0:
            break
        shown.append(item)
    return shown, len(items)


def _format_device(device: DeviceIdentity) -> str:
    muted = "" if device.enabled else " (muted)"
    patterns = (getattr(matcher, "pattern", None) for matcher in device.matchers)
    pattern = next(filter(None, patterns), "")
    port = f' = port "{_shorten_text(pattern)}"' if pattern else ""
    return f"`{_shorten_text(device.alias)}`{port}{muted}"


def _format_mode(mode: Mode) -> str:
    return f"{_shorten_text(mode.name)} ({len(mode.mappings)})"


def _format_profile(profile: Profile) -> str:
    match = profile.match
    app = match.executable or match.bundle_id or match.title_regex or ""
    mode = f" -> mode {_shorten_text(profile.mode)}" if profile.mode else ""
    off = "" if profile.enabled else ", off"
    return f"{_shorten_text(profile.name)} for {_shorten_text(app)}{mode} ({len(profile.mappings)}{off})"


def _shorten_text(text: str) -> str:
    return format_one_line(text, 40)
