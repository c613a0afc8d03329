"""Keeps the names of the controls of the user's devices, read from their profiles."""

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.devices.virtual.controller import LAYOUT
from conductor.domain.control_names import (
    VIRTUAL,
    ControlNames,
    NamedControl,
    list_named_controls,
)

if TYPE_CHECKING:
    from conductor.domain.config import Config
    from conductor.domain.device_profile import Variant
    from conductor.domain.wire_rows import DeviceRow
    from conductor.profiles.catalog import MatchedProfile, ProfileCatalog

log = logging.getLogger(__name__)

_VIRTUAL_CONTROLS = tuple(
    NamedControl(control.control_class, control.number, control.channel, control.label)
    for control in LAYOUT
)


class ControlNaming:
    """The current names. They are first read when somebody asks for them, in a thread of their own.

    Reading all profiles takes 0.3 s of CPU time, which must not delay the start of the window.
    """

    def __init__(
        self,
        home: Path,
        list_devices: "Callable[[], list[DeviceRow]]",
        get_config: "Callable[[], Config]",
        on_change: Callable[[], None],
    ) -> None:
        self._home = home
        self._list_devices = list_devices
        self._get_config = get_config
        self._on_change = on_change
        self._names = ControlNames({VIRTUAL: _VIRTUAL_CONTROLS})
        self._lock = threading.Lock()
        self._is_used = False
        self._is_reading = False
        self._is_stale = False

    def read(self) -> ControlNames:
        """Return the names that are known now. `on_change` is called when more are known."""
        if not self._is_used:
            self._is_used = True
            self.refresh()
        return self._names

    def refresh(self) -> None:
        """Read the names again, in a thread, if anybody uses them. Thread-safe."""
        with self._lock:
            if not self._is_used:
                return
            self._is_stale = True
            if self._is_reading:
                return
            self._is_reading = True
        threading.Thread(target=self._read_until_fresh, name="control names", daemon=True).start()

    def _read_until_fresh(self) -> None:
        while True:
            with self._lock:
                if not self._is_stale:
                    self._is_reading = False
                    return
                self._is_stale = False
            try:
                names = self._build_names()
            except Exception:  # names are a comfort: without them, controls keep their numbers
                log.exception("the names of controls could not be read")
                continue
            if names != self._names:
                self._names = names
                self._on_change()

    def _build_names(self) -> ControlNames:
        # A Conductor without a window does not import the rooms of the page.
        from conductor.bridge.prefs import VARIANT_PREF, read_prefs
        from conductor.profiles.catalog import load_catalog

        catalog = load_catalog(self._home)
        choices = read_prefs(self._home)
        devices = {VIRTUAL: _VIRTUAL_CONTROLS}
        others = False
        for device, fit in self._find_fits(catalog):
            if fit is None:
                others = True
            else:
                chosen = choices.get(f"{VARIANT_PREF}{fit.profile.id}")
                devices[device] = list_named_controls(_choose_variant(fit, chosen))
        return ControlNames(devices, others=others)

    def _find_fits(
        self, catalog: "ProfileCatalog"
    ) -> "Iterator[tuple[str, MatchedProfile | None]]":
        """Yield each input device of the config and of the computer with its profile, if it has one."""
        ports = {
            status["device_id"]: status["port_name"]
            for status in self._list_devices()
            if status["kind"] in ("midi_input", "gamepad")
        }
        for device, port in ports.items():
            yield device, catalog.find_for_port(port)
        for alias in self._get_config().devices:
            if alias.alias not in ports:
                yield alias.alias, catalog.find_for_alias(alias)


def _choose_variant(fit: "MatchedProfile", chosen: object) -> "Variant":
    """Return the variant with the id that the user chose in the window, or else that of the port."""
    return next((one for one in fit.profile.variants if one.id == chosen), fit.variant)
