"""Applies the setting that starts Conductor at login."""

from conductor.errors import ConductorError
from conductor.runtime.notices import Notices

AUTOSTART_NOTICE = "autostart"
"""The key of the notice that the start at login could not be changed."""


def apply_autostart(notices: Notices, *, on: bool) -> None:
    """Create or remove the file that starts Conductor at login. A notice says why this failed."""
    from conductor.system.autostart import Autostart, build_start_command

    try:
        Autostart(build_start_command()).set_enabled(on=on)
        notices.withdraw_notice(AUTOSTART_NOTICE)
    except ConductorError as error:
        notices.show_warning(str(error), key=AUTOSTART_NOTICE)
