"""Disables core dumps: a crash would write API keys and tokens to disk with the rest of the memory."""

import sys


def disable_core_dumps() -> None:
    """Disable core files for this process and its children.

    Only the soft limit is lowered: a program that a mapping starts may raise it again. `systemd-coredump`
    respects the limit as well. `faulthandler` still prints a traceback of every thread.
    """
    if sys.platform == "win32":  # where core dumps are off by default
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
