"""Opens the OSC input of the engine process if the config sets a port, and closes it if not."""

from collections.abc import Callable

from conductor.base import clock
from conductor.devices.osc import OscInput
from conductor.domain.config import Config
from conductor.domain.devices import DeviceStatus
from conductor.domain.ports import EventSource
from conductor.domain.settings import EngineSettings
from conductor.errors import ConductorError

OSC_FLOOD_NOTICE_TEMPLATE = (
    "dropped about {count} OSC messages in the last {since}, such as {where}. Messages in large bundles may "
    "have been meant for mappings. Check which program sends so many, or change osc_port"
)


class OscListener:
    """Holds the OSC input of the engine process, which is open only if the config sets a port."""

    def __init__(
        self,
        add_source: Callable[[EventSource], object],
        remove_source: Callable[[EventSource], object],
        clock: Callable[[], float] = clock.now,
    ) -> None:
        self._add_source = add_source
        self._remove_source = remove_source
        self._clock = clock
        self._input: OscInput | None = None
        self._problem: DeviceStatus | None = None

    def apply_config(self, config: Config) -> None:
        """Listen on the port that the config sets, for the OSC addresses that its mappings use."""
        self._open_input(config.settings.engine)
        if self._input is not None:
            self._input.set_mapped_addresses(
                str(number)
                for _, _, mapping in config.list_all_mappings()
                for control_class, number in mapping.trigger.list_controls()
                if control_class == "osc"
            )

    def status(self) -> list[DeviceStatus]:
        """Return the OSC input as an entry of the list of devices, or an empty list if the config sets no port.

        If the port could not be opened, the entry says why.
        """
        if self._input is not None:
            return self._input.status()
        return [self._problem] if self._problem is not None else []

    def collect_dropped_messages(self) -> tuple[int, str]:
        """Return how many OSC messages were dropped since the last call, and the address of one of them."""
        return self._input.collect_dropped_messages() if self._input is not None else (0, "")

    def close(self) -> None:
        if self._input is not None:
            self._input.close()

    def _open_input(self, settings: EngineSettings) -> None:
        wanted = None if settings.osc_port is None else (settings.osc_host, settings.osc_port)
        if self._input is not None and (self._input.host, self._input.port) == wanted:
            return
        if self._input is not None:
            self._remove_source(self._input)
            self._input.close()
            self._input = None
        self._problem = None
        if wanted is None:
            return
        try:
            self._input = OscInput(*wanted, clock=self._clock)
        except ConductorError as error:
            name = f"OSC {wanted[0]}:{wanted[1]}"
            self._problem = DeviceStatus(
                device_id="osc", port_name=name, kind="osc", connected=False, problem=str(error)
            )
        else:
            self._add_source(self._input)
