"""Finds the controls, devices, modes, plans and mappings that match what the user typed after `@`."""

from collections.abc import Iterator, Sequence

from conductor.agent.live_context import describe_control, group_recent_controls
from conductor.domain.chat.messages import MentionPart
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.gesture_phrases import describe_trigger
from conductor.domain.phrases import describe_action
from conductor.domain.plan import ConfigPlan

MAX_MENTIONS = 30
MAX_PLAN_MENTIONS = 10


def find_mentions(
    query: str, config: Config, events: Sequence[InputEvent], plans: Sequence[ConfigPlan]
) -> tuple[MentionPart, ...]:
    """Return the mentions whose text contains all words of the query.

    Controls that were just used come first.
    """
    words = query.casefold().split()
    found: list[MentionPart] = []
    for mention in _list_candidates(config, events, plans):
        text = f"{mention.kind} {mention.label} {mention.detail}".casefold()
        if all(word in text for word in words):
            found.append(mention)
            if len(found) == MAX_MENTIONS:
                break
    return tuple(found)


def _list_candidates(
    config: Config, events: Sequence[InputEvent], plans: Sequence[ConfigPlan]
) -> Iterator[MentionPart]:
    for control in group_recent_controls(events):
        device, _, kind, number = control
        pitch = "pad" if kind == "note" else kind.replace("_", " ")
        label = f"{pitch} {number} of {device}" if device else f"{pitch} {number}"
        yield _build_mention(
            "control", label, f"a control that was just used: {describe_control(control)}"
        )
    for device in config.devices:
        yield _build_mention("device", device.alias, f"the device with the alias `{device.alias}`")
    for mode in config.modes:
        count = len(mode.mappings)
        yield _build_mention("mode", mode.name, f"the mode `{mode.name}` with {count} mappings")
    for plan in plans[:MAX_PLAN_MENTIONS]:
        detail = f"plan {plan.plan_id}, {plan.status}: {plan.description}"
        yield _build_mention("plan", plan.description, detail)
    for scope, index, mapping in config.list_all_mappings():
        does = describe_action(mapping.action.to_plain())
        label = mapping.description or f"{describe_trigger(mapping.trigger)} → {does}"
        detail = f"mapping #{index} of {scope}: {describe_trigger(mapping.trigger)} does {does}"
        yield _build_mention("mapping", label, detail)


def _build_mention(kind: str, label: str, detail: str) -> MentionPart:
    return MentionPart.model_validate({"kind": kind, "label": label[:80], "detail": detail[:400]})
