"""Builds a device profile from a recording, for the page and the terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from conductor.domain.device_profile import DeviceProfile
from conductor.domain.events import InputEvent
from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.control_groups import Step
from conductor.profiles.inference import DeviceDetails, infer_profile, slugify

NAMELESS = "My device"


def find_most_played_device(events: Sequence[InputEvent]) -> str:
    """Return the device with the most events.

    The built-in device is returned only if no other was played.
    """
    counts = Counter(event.device for event in events)
    real = {device: count for device, count in counts.items() if device != "virtual"}
    return max(real or counts, key=lambda device: counts[device], default="")


def build_played_profile(
    events: Sequence[InputEvent],
    name: str,
    port: str,
    known: ProfileCatalog,
    steps: Sequence[Step] = (),
    rows: Mapping[str, int] | None = None,
) -> DeviceProfile:
    """Build a profile from the events of a device, with an id that no shipped profile has.

    The default name is the name of the port, or `My device`.

    Raises:
        InvalidParams: the recording has no events.
    """
    called = " ".join(name.split()) or port.split(":")[0] or NAMELESS
    wanted = slugify(called)
    ships = wanted in known.profiles and wanted not in known.own
    about = DeviceDetails(
        called,
        datetime.now().astimezone().date().isoformat(),
        (port,) if port else (),
        f"{wanted[:57]}-played" if ships else wanted,
    )
    return infer_profile(events, about, steps, rows)
