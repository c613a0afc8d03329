"""Loads the printed names of the controls of the user's devices from the device profiles."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.devices.virtual.controller import VIRTUAL_CONTROLS
from conductor.domain.control_names import (
    VIRTUAL_DEVICE,
    ControlNames,
    NamedControl,
    list_named_controls,
    parse_own_name,
)

if TYPE_CHECKING:
    from conductor.domain.config import Config
    from conductor.domain.device_profile import Variant
    from conductor.domain.wire_rows import DeviceRow
    from conductor.profiles.catalog import MatchedProfile, ProfileCatalog

log = logging.getLogger(__name__)

_VIRTUAL_CONTROLS = tuple(
    NamedControl(
        control.control_class, control.number, control.channel, control.label, control.kind
    )
    for control in VIRTUAL_CONTROLS
)


class ControlNaming:
    """Provides the control names of all devices. They are loaded on a separate thread when they are first
    requested.

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
        # Before the devices are known, a mapping without a device must not show these names, as
        # another device may be meant.
        self._names = ControlNames({VIRTUAL_DEVICE: _VIRTUAL_CONTROLS}, others=True)
        self._lock = threading.Lock()
        self._was_requested = False
        self._is_loading = False
        self._is_stale = False

    def get_names(self) -> ControlNames:
        """Return the control names that are loaded so far. `on_change` is called when more are loaded."""
        if not self._was_requested:
            self._was_requested = True
            self.reload_names()
        return self._names

    def reload_names(self) -> None:
        """Load the control names again, on a separate thread, if they were ever requested.

        Safe in any thread.
        """
        with self._lock:
            if not self._was_requested:
                return
            self._is_stale = True
            if self._is_loading:
                return
            self._is_loading = True
        threading.Thread(
            target=self._reload_until_unchanged, name="control names", daemon=True
        ).start()

    def _reload_until_unchanged(self) -> None:
        while True:
            with self._lock:
                if not self._is_stale:
                    self._is_loading = False
                    return
                self._is_stale = False
            try:
                names = self._build_names()
            # names are optional: a control without a name is shown with its number
            except Exception:
                log.exception("the control names could not be loaded")
                continue
            if names != self._names:
                self._names = names
                self._on_change()

    def _build_names(self) -> ControlNames:
        ports = {
            status["device_id"]: status["port_name"]
            for status in self._list_devices()
            if status["kind"] in ("midi_input", "gamepad")
        }
        return load_control_names(self._home, self._get_config(), ports)


def load_control_names(home: Path, config: "Config", ports: Mapping[str, str]) -> ControlNames:
    """Return the control names of the connected devices and of those in the config, from the device profiles.

    `ports` contains the name of the connected port by device id.
    """
    # imported here, because a Conductor without a window does not need the page's modules
    from conductor.profiles.catalog import load_catalog
    from conductor.storage.prefs import VARIANT_KEY_PREFIX, read_prefs

    choices = read_prefs(home)
    devices = {VIRTUAL_DEVICE: _VIRTUAL_CONTROLS}
    has_unknown_devices = False
    for device, fit in _match_profiles(load_catalog(home), config, ports):
        if fit is None:
            has_unknown_devices = True
        else:
            chosen = choices.get(f"{VARIANT_KEY_PREFIX}{fit.profile.id}")
            devices[device] = list_named_controls(_choose_variant(fit, chosen))
    for device, own in config.settings.names.items():
        # Before the printed names, of which the first that fits is shown; both find the control.
        devices[device] = (*map(parse_own_name, own.items()), *devices.get(device, ()))
    return ControlNames(devices, others=has_unknown_devices)


def _match_profiles(
    catalog: "ProfileCatalog", config: "Config", ports: Mapping[str, str]
) -> "Iterator[tuple[str, MatchedProfile | None]]":
    """Yield each input device that is connected or in the config, with its profile or None if no profile
    matches.
    """
    for device, port in ports.items():
        yield device, catalog.find_profile_for_port(port)
    for alias in config.devices:
        if alias.alias not in ports:
            yield alias.alias, catalog.find_profile_for_alias(alias)


def _choose_variant(fit: "MatchedProfile", chosen: object) -> "Variant":
    """Return the variant of the device that the user chose in the window, or else the one that matches the
    port.
    """
    return next((variant for variant in fit.profile.variants if variant.id == chosen), fit.variant)
