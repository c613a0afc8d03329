"""Imports all modules that register commands.

The imports are static, because a package contains only imported modules.
"""

from conductor.bridge.commands import (
    abilities,
    activity,
    app,
    approvals,
    apps,
    chat,
    config,
    devices,
    engine,
    examples,
    history,
    knowledge,
    learn,
    monitor,
    pages,
    plans,
    profiles,
    providers,
    recording,
    sandbox,
    servers,
    skills,
    window,
)
from conductor.bridge.registry import COMMANDS

__all__ = [
    "COMMANDS",
    "abilities",
    "activity",
    "app",
    "approvals",
    "apps",
    "chat",
    "config",
    "devices",
    "engine",
    "examples",
    "history",
    "knowledge",
    "learn",
    "monitor",
    "pages",
    "plans",
    "profiles",
    "providers",
    "recording",
    "sandbox",
    "servers",
    "skills",
    "window",
]
