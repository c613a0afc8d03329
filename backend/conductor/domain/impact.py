"""Defines the impact of a config change: the controls and modes that it can affect.

All others are unchanged.
"""

from conductor.domain.events import Control, ControlClass
from conductor.domain.renames import Renames
from conductor.domain.value import Value

ANY_NUMBER = "*"
DEVICES_WITHOUT_ALIAS = "raw:*"
"""Matches every device without an alias."""


class ImpactedControl(Value):
    """A control, or a pattern of controls, that may behave differently after the change."""

    device: str | None = None
    """The device's alias. `raw:*`: every device without an alias. Left out: any device."""
    channel: int | None = None
    """The MIDI channel. Left out: any channel."""
    control_class: ControlClass
    """The class of the control."""
    number: int | str
    """The number or name of the control. `*`: any control of the class."""
    name: str | None = None
    """The name that is printed on the control, such as `Pad 6`. Left out: unknown."""
    modes: tuple[str, ...] | None = None
    """The modes in which the control may behave differently. Left out: every mode."""
    profile: str | None = None
    """The profile in which the control may behave differently. Left out: with any app in front."""
    why: str
    """How the change affects the control."""

    def covers_control(self, control: Control, mode: str, profile: str | None) -> bool:
        """Return whether this entry includes a control in a mode and profile."""
        return (
            self.control_class == control.control_class
            and self.number in (control.number, ANY_NUMBER)
            and self.channel in (None, control.channel)
            and (self.modes is None or mode in self.modes)
            and self.profile in (None, profile)
            and self._covers_device(control.device)
        )

    def _covers_device(self, device: str) -> bool:
        if self.device == DEVICES_WITHOUT_ALIAS:
            return device.startswith("raw:")
        return self.device in (None, device)


class Impact(Value):
    """An upper bound of what a change can affect, for any events after a common start, if apps, clock and
    programs behave the same and fewer than 256 actions run at a time.
    """

    controls: tuple[ImpactedControl, ...] = ()
    modes: tuple[str, ...] = ()
    """The modes that may become active or inactive at other times than before."""
    variables: tuple[str, ...] = ()
    """The variables that may have other values than before."""
    targets: tuple[str, ...] = ()
    """The outputs that may change: `keys cmd+c`, `MIDI to synth`, `the volume`."""
    settings: tuple[str, ...] = ()
    """What changes besides mappings, as text for the user."""
    removed_modes: tuple[str, ...] = ()
    """The removed modes. A removed mode that is active when the change is made is replaced by the start
    mode.
    """
    renames: Renames = Renames()
    """Modes, devices and profiles that were only renamed."""
    summary: str = ""
    """The impact in one line."""

    def covers_control(self, control: Control, mode: str, profile: str | None = None) -> bool:
        """Return whether the change may affect a control in a mode, which may have its old or its new name."""
        mode = self.renames.get_new_mode(mode)
        device = self.renames.get_new_device(control.device)
        control = control._replace(device=device)
        if profile is not None:
            profile = self.renames.get_new_profile(profile)
        return any(impacted.covers_control(control, mode, profile) for impacted in self.controls)
