"""Builds a device profile from played events, for the page and for the command line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from conductor.domain.device_profile import DeviceProfile
from conductor.domain.events import InputEvent
from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.control_groups import LearnStep
from conductor.profiles.inference import DeviceDetails, choose_profile_id, infer_profile

DEFAULT_DEVICE_NAME = "My device"


def find_most_played_device(events: Sequence[InputEvent]) -> str:
    """Return the device with the most events.

    The virtual controller is returned only if nothing else was played.
    """
    counts = Counter(event.device for event in events)
    real = {device: count for device, count in counts.items() if device != "virtual"}
    return max(real or counts, key=lambda device: counts[device], default="")


def build_played_profile(
    events: Sequence[InputEvent],
    name: str,
    port: str,
    catalog: ProfileCatalog,
    steps: Sequence[LearnStep] = (),
    group_columns: Mapping[str, int] | None = None,
) -> DeviceProfile:
    """Return a device profile made from a recording, with an id that no shipped profile has. The default
    name is that of the port, or `My device` if the port is unknown.

    Raises:
        InvalidParams: the recording has no events.
    """
    full_name = " ".join(name.split()) or port.split(":")[0] or DEFAULT_DEVICE_NAME
    details = DeviceDetails(
        full_name,
        datetime.now().astimezone().date().isoformat(),
        (port,) if port else (),
        choose_profile_id(full_name, catalog, "played"),
    )
    return infer_profile(events, details, steps, group_columns)
