"""The environment of this process, read safely while another thread changes it (SDL's start does)."""

import os
from collections.abc import Iterable

KEYS = (
    "ANTHROPIC_API_KEY",
    "CONDUCTOR_KEYS_PASSPHRASE",
    "GEMINI_API_KEY",
    "LITELLM_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
)
"""Variables that Conductor itself reads keys from; a config can name more."""
_NEEDED = (
    "CONDUCTOR_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "LANG",
    "PATH",
    "PYTHONPATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "USER",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
)
"""Never a key, whatever a config says: without them programs do not start."""
_hidden: set[str] = set(KEYS)


def snapshot() -> dict[str, str]:
    """Return the variables as they are now; `dict(os.environ)` fails when one goes away meanwhile."""
    found = ((name, os.environ.get(name)) for name in list(os.environ))
    return {name: value for name, value in found if value is not None}


def hide(names: Iterable[str]) -> None:
    """Keep more variables from programs that are started from now on, until this process ends."""
    _hidden.update(name for name in names if name not in _NEEDED)


def for_children(without: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables for a program that is started: all but keys, and but those named here."""
    left_out = _hidden.union(name for name in without if name not in _NEEDED)
    return {name: value for name, value in snapshot().items() if name not in left_out}
