"""Every tool of Conductor's own, by topic. A static list: a packaged app has only what it sees imported."""

from conductor.tools.catalog import (
    batch,
    device_changes,
    devices,
    events,
    hardware,
    knowledge,
    mapping_changes,
    mappings,
    mode_changes,
    plans,
    plugins,
    profile_changes,
    settings_changes,
    skills,
    status,
)
from conductor.tools.registry import REGISTRY

__all__ = [
    "REGISTRY",
    "batch",
    "device_changes",
    "devices",
    "events",
    "hardware",
    "knowledge",
    "mapping_changes",
    "mappings",
    "mode_changes",
    "plans",
    "plugins",
    "profile_changes",
    "settings_changes",
    "skills",
    "status",
]
