"""The blast radius of a change: everything that it can affect. What lies outside is proven unchanged."""

from conductor.domain.events import Control, ControlClass
from conductor.domain.renames import Renames
from conductor.domain.value import Value

ANY_NUMBER = "*"
WITHOUT_ALIAS = "raw:*"
"""Every device that has no alias."""


class ImpactedControl(Value):
    """A control, or all controls of a pattern, that may do something else after the change."""

    device: str | None = None
    """The device's alias; `raw:*`: every device without one. Left out: any device."""
    channel: int | None = None
    """Left out: any channel."""
    control_class: ControlClass
    """What kind of control it is."""
    number: int | str
    """Its number or name; `*`: any."""
    modes: tuple[str, ...] | None = None
    """The modes in which it may. Left out: every mode."""
    profile: str | None = None
    """Only while this profile is in force. Left out: whatever app is in front."""
    why: str
    """How the change reaches it."""

    def covers(self, control: Control, mode: str, profile: str | None) -> bool:
        """Check whether a control that is touched in a mode under a profile is meant."""
        return (
            self.control_class == control.control_class
            and self.number in (control.number, ANY_NUMBER)
            and self.channel in (None, control.channel)
            and (self.modes is None or mode in self.modes)
            and self.profile in (None, profile)
            and self._covers_device(control.device)
        )

    def _covers_device(self, device: str) -> bool:
        if self.device == WITHOUT_ALIAS:
            return device.startswith("raw:")
        return self.device in (None, device)


class Impact(Value):
    """An upper bound of what a change can affect, computed from the two compiled configs.

    It holds for everything that can be played from a common start, with these limits: the same things
    happen outside (apps, clock, programs), and fewer than 256 actions run at the same time.
    """

    controls: tuple[ImpactedControl, ...] = ()
    modes: tuple[str, ...] = ()
    """The modes that may be active when they would not be, or the other way around."""
    variables: tuple[str, ...] = ()
    """The variables that may have another value."""
    targets: tuple[str, ...] = ()
    """Where different effects may arrive: `keys cmd+c`, `MIDI to synth`, `the volume`."""
    settings: tuple[str, ...] = ()
    """What changes besides mappings, in words."""
    removed_modes: tuple[str, ...] = ()
    """The modes that go. Where one is active when the change is made, the start mode takes its place."""
    renames: Renames = Renames()
    """What only got another name."""
    summary: str = ""
    """All of it in one line."""

    def covers(self, control: Control, mode: str, profile: str | None = None) -> bool:
        """Check whether the change may affect a control in a mode; names may be old or new ones."""
        mode = self.renames.mode(mode)
        device = self.renames.device(control.device)
        control = control._replace(device=device)
        if profile is not None:
            profile = self.renames.profile(profile)
        return any(one.covers(control, mode, profile) for one in self.controls)
