"""Keeps keys and tokens out of core files: a crash would write the whole memory to the disk."""


def forbid_core_dumps() -> None:
    """Set this process to leave no core file when it crashes, and what it starts too.

    Only the soft limit is lowered: a program that a mapping starts may raise it again. `systemd-coredump`
    heeds the limit as well. `faulthandler` still writes where each thread was.
    """
    try:
        import resource
    except ImportError:  # Windows, where nobody gets a dump without asking for it
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
