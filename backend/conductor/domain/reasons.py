"""Defines the reasons why a mapping fired, waits or did not fire, as sentence templates with a kind.

The kind is stored with the sentence, so that explanations never have to parse English. A sentence without a
kind is a plain string. All templates are constants, so that a reason costs no time on the hot path.
"""

from typing import Any, Literal

ReasonKind = Literal[
    "muted",
    "paused",
    "dropped",
    "too_short",
    "too_long",
    "no_second_press",
    "half_chord",
    "prior_idle",
    "quick_tap",
    "other_press",
    "in_order",
    "release_alone",
    "disabled",
    "channel",
    "device",
    "mode",
    "profile",
    "condition",
    "velocity",
    "value",
    "edge",
    "direction",
    "dead_zone",
    "first_value",
    "chord_consumed",
    "other_gesture",
    "shadowed",
    "no_effect",
    "chord_complete",
    "other",
]
"""The reason why a mapping did not act. The kinds are sorted by relevance, which is also their order in
explanations. `other_press` and `chord_complete` also explain why a mapping acted early.
"""

Reason = tuple[Any, ...]
"""A sentence with placeholders `{}`, and their values. The sentence is rendered only when it is displayed."""


class ReasonText(str):
    """A reason as a sentence with placeholders, together with the kind of reason."""

    __slots__ = ("kind",)
    kind: ReasonKind

    def __new__(cls, text: str, kind: ReasonKind) -> "ReasonText":
        made = super().__new__(cls, text)
        made.kind = kind
        return made


def render_reason(reason: Reason) -> str:
    """Return a reason as a sentence, with its values filled in."""
    return str(reason[0]).format(*reason[1:])


def get_reason_kind(reason: Reason) -> ReasonKind:
    """Return the kind of a reason, or `other` for a reason without a kind."""
    text = reason[0]
    return text.kind if isinstance(text, ReasonText) else "other"


DEVICE_MUTED = ReasonText("device {} is muted", "muted")
MAPPINGS_PAUSED = ReasonText("Conductor is paused", "paused")
SHADOWED_BY_MAPPING = ReasonText("`{}` comes first", "shadowed")
UNMET_CONDITION = ReasonText("condition not met: {}", "condition")
PRESS_TOO_SHORT = ReasonText("held {:.0f} ms, long press needs {:.0f} ms", "too_short")
PRESS_TOO_LONG = ReasonText("held too long for a tap", "too_long")
NO_SECOND_PRESS = ReasonText("no second press within {:.0f} ms", "no_second_press")
INCOMPLETE_CHORD = ReasonText("not all of its notes were pressed within {} ms", "half_chord")
CONSUMED_BY_CHORD = ReasonText("the chord consumed its note", "chord_consumed")
PRESSED_TOO_SOON_AFTER_OTHER = ReasonText(
    "{} {} was pressed {:.0f} ms before; {} needs {:.0f} ms without a press", "prior_idle"
)
PRESSED_TOO_SOON_AFTER_TAP = ReasonText(
    "{:.0f} ms after a tap; a press within {} ms repeats the tap", "quick_tap"
)
DECIDED_BY_OTHER_CONTROL = ReasonText("{} {} was {} while it was down", "other_press")
CHORD_COMPLETE = ReasonText(
    "complete: all notes within {:.0f} ms, and no longer chord can follow", "chord_complete"
)
WAITS_FOR_OTHER_GESTURE = ReasonText("waits until the gesture of {} {} is decided", "in_order")
"""The reason for an event that must not be judged before an undecided gesture."""
WAITED_FOR_OTHER_GESTURE = ReasonText("waited {:.0f} ms for the gesture of {}", "in_order")
"""The reason in the trace that judges a queued event later. The last value is not displayed: it is the
number of the trace in which the event arrived."""
BECAME_OTHER_GESTURE = ReasonText("the gesture became `{}`", "other_gesture")
GESTURE_DROPPED = ReasonText("cancelled: {}", "dropped")
ACTION_NOT_STARTED = ReasonText(
    "{} actions are still running, so this action was not started", "no_effect"
)
NO_SUCH_MODE = ReasonText("Invalid mode: '{}' does not exist", "no_effect")
MODE_NOT_ENTERED = ReasonText(
    "the control was already released, so mode {} was not entered", "no_effect"
)

VALUE_OUTSIDE_RANGE = ReasonText("{} is outside {}", "value")
VALUE_STAYS_INSIDE = ReasonText("{} stays inside {}: it fires on crossing", "edge")
ENTERED_FROM_ABOVE = ReasonText("{} fell into {}, but only rising values fire", "edge")
ENTERED_FROM_BELOW = ReasonText("{} rose into {}, but only falling values fire", "edge")
LIMIT_CROSSED = ReasonText("{} {} {}", "edge")
FIRST_VALUE_WITHOUT_DIRECTION = ReasonText(
    "first value {}: the direction is not known yet", "first_value"
)
WRONG_VALUE_DIRECTION = ReasonText("{} after {}: only {} values fire", "direction")
VELOCITY_OUTSIDE = ReasonText("velocity {} is outside {}-{}", "velocity")
VELOCITY_TOO_LOW = ReasonText("velocity {} is below velocity_min {}", "velocity")
PRESSURE_STAYS_INSIDE = ReasonText("pressure {} has not left {}-{} by {}", "edge")
PRESSURE_OUTSIDE = ReasonText("pressure {} is outside {}-{}", "value")
VALUE_UNCHANGED = ReasonText("{} has not moved", "dead_zone")
FIRST_ENCODER_VALUE = ReasonText(
    "first value {}: `auto` needs a second value to detect the coding", "first_value"
)
NOT_A_TURN = ReasonText("{} is not a turn ({})", "value")
WRONG_TURN_DIRECTION = ReasonText("turned {}, but only {} turns fire ({})", "direction")
STICK_DEAD_ZONE = ReasonText("{:.2f} is {} the dead zone", "dead_zone")
WRONG_PUSH_DIRECTION = ReasonText("{:.2f} is not a push in the {} direction", "direction")
STICK_RETURNED = ReasonText("returned to {:.2f}", "value")
STILL_PAST_THRESHOLD = ReasonText("{:.2f} is still past {}: it fires on crossing", "edge")
BELOW_THRESHOLD = ReasonText("{:.2f} does not reach {}", "value")
ANALOG_TRIGGER_PULLED = ReasonText("{:.2f} {} {}", "edge")
SYSEX_PATTERN_RESULT = ReasonText("the message {} `{}`", "value")
NOT_A_PULL = ReasonText("{:.2f} is not a pull", "value")
