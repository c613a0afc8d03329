"""Every command, by topic. A static list: a packaged app has only what it sees imported."""

from conductor.bridge.commands import (
    app,
    chat,
    config,
    devices,
    engine,
    examples,
    history,
    knowledge,
    learn,
    monitor,
    plans,
    profiles,
    providers,
    sandbox,
    servers,
    skills,
    window,
)
from conductor.bridge.registry import COMMANDS

__all__ = [
    "COMMANDS",
    "app",
    "chat",
    "config",
    "devices",
    "engine",
    "examples",
    "history",
    "knowledge",
    "learn",
    "monitor",
    "plans",
    "profiles",
    "providers",
    "sandbox",
    "servers",
    "skills",
    "window",
]
