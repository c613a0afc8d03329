"""Fills in the devices and channels that an event script leaves out, according to the mappings in a config.

In a script, `down 36` means the pad that the user mapped, so the event must reach a mapping that
names a device and a channel.
"""

from collections.abc import Iterable, Iterator

from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, CONTROL_CLASSES_WITH_CHANNEL
from conductor.engine.script import ScriptedModeSwitch, ScriptItem


def apply_script_defaults(items: Iterable[ScriptItem], config: Config) -> Iterator[ScriptItem]:
    """Yield the items of a script with a device and a channel in place of empty ones."""
    triggers = [mapping.trigger for _, _, mapping in config.list_all_mappings()]
    devices = {trigger.device for trigger in triggers if trigger.device}
    channels = {trigger.channel for trigger in triggers if trigger.channel}
    only_device = devices.pop() if len(devices) == 1 else ""
    only_channel = channels.pop() if len(channels) == 1 else 0
    for item in items:
        control_class = (
            None if isinstance(item, ScriptedModeSwitch) else CONTROL_CLASS.get(item.kind)
        )
        if isinstance(item, ScriptedModeSwitch) or control_class is None:
            yield item
            continue
        place = (control_class, item.number)
        here = [trigger for trigger in triggers if place in trigger.list_controls()]
        fallback = "osc" if control_class == "osc" else "virtual"
        device = item.device or next((t.device for t in here if t.device), only_device) or fallback
        channel = item.channel
        if control_class in CONTROL_CLASSES_WITH_CHANNEL:
            channel = channel or next((t.channel for t in here if t.channel), only_channel) or 1
        yield item._replace(device=device, channel=channel)
