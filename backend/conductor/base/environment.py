"""Reads the environment of this process safely while another thread changes it, as SDL does when it starts."""

import os
from collections.abc import Iterable

API_KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "CONDUCTOR_KEYS_PASSPHRASE",
    "GEMINI_API_KEY",
    "LITELLM_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
)
"""Environment variables from which Conductor itself reads API keys; a config can name more."""
_REQUIRED_VARIABLES = (
    "CONDUCTOR_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "HYPRLAND_INSTANCE_SIGNATURE",
    "LANG",
    "NIRI_SOCKET",
    "PATH",
    "PYTHONPATH",
    "SHELL",
    "SWAYSOCK",
    "TERM",
    "TMPDIR",
    "USER",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
)
"""Environment variables that are never hidden, even if a config names them, because programs do not start
without them."""
_hidden_variables: set[str] = set(API_KEY_VARIABLES)


def copy_environment() -> dict[str, str]:
    """Return a copy of the environment; `dict(os.environ)` fails if a variable is removed during the copy."""
    found = ((name, os.environ.get(name)) for name in list(os.environ))
    return {name: value for name, value in found if value is not None}


def hide_variables(names: Iterable[str]) -> None:
    """Exclude more variables, besides API keys, from the environment of all child processes started later."""
    _hidden_variables.update(name for name in names if name not in _REQUIRED_VARIABLES)


def build_keyless_environment(extra: Iterable[str] = ()) -> dict[str, str]:
    """Return an environment for a child process that contains neither API keys nor the variables in `extra`."""
    excluded = _hidden_variables.union(name for name in extra if name not in _REQUIRED_VARIABLES)
    return {name: value for name, value in copy_environment().items() if name not in excluded}
