"""The environment of this process, read safely while another thread changes it (SDL's start does)."""

import os


def snapshot() -> dict[str, str]:
    """Give the variables as they are now; `dict(os.environ)` fails when one goes away meanwhile."""
    found = ((name, os.environ.get(name)) for name in list(os.environ))
    return {name: value for name, value in found if value is not None}
