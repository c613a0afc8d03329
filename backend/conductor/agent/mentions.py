"""What the user can point at with `@`: devices, modes, plans, mappings, and the controls that were touched."""

from collections.abc import Iterator, Sequence

from conductor.agent.live_context import control_words, touched_lately
from conductor.domain.chat.messages import MentionPart
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.phrases import action_words, trigger_words
from conductor.domain.plan import ConfigPlan

SHOWN = 30
PLANS = 10


def mentions(
    query: str, config: Config, events: Sequence[InputEvent], plans: Sequence[ConfigPlan]
) -> tuple[MentionPart, ...]:
    """Return those with all words of the query: controls first, the one touched last before all."""
    words = query.casefold().split()
    found: list[MentionPart] = []
    for one in _all(config, events, plans):
        text = f"{one.kind} {one.label} {one.detail}".casefold()
        if all(word in text for word in words):
            found.append(one)
            if len(found) == SHOWN:
                break
    return tuple(found)


def _all(
    config: Config, events: Sequence[InputEvent], plans: Sequence[ConfigPlan]
) -> Iterator[MentionPart]:
    for control in touched_lately(events):
        device, _, kind, number = control
        pitch = "pad" if kind == "note" else kind.replace("_", " ")
        label = f"{pitch} {number} of {device}" if device else f"{pitch} {number}"
        yield _mention("control", label, f"the control that was touched: {control_words(control)}")
    for device in config.devices:
        yield _mention("device", device.alias, f"the device with the alias `{device.alias}`")
    for mode in config.modes:
        count = len(mode.mappings)
        yield _mention("mode", mode.name, f"the mode `{mode.name}` with {count} mappings")
    for plan in plans[:PLANS]:
        detail = f"plan {plan.plan_id}, {plan.status}: {plan.description}"
        yield _mention("plan", plan.description, detail)
    for scope, index, mapping in config.all_mappings():
        does = action_words(mapping.action.to_plain())
        label = mapping.description or f"{trigger_words(mapping.trigger)} → {does}"
        detail = f"mapping #{index} of {scope}: {trigger_words(mapping.trigger)} does {does}"
        yield _mention("mapping", label, detail)


def _mention(kind: str, label: str, detail: str) -> MentionPart:
    return MentionPart.model_validate({"kind": kind, "label": label[:80], "detail": detail[:400]})
