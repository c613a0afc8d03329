"""The skills of the agent card, and how a message names one of them.

A message has either a data part with the skill and its arguments, or plain text for the user's model.
"""

from typing import Any, Literal, NamedTuple, TypeVar

from a2a.helpers import get_data_parts, get_message_text
from a2a.types import Message
from pydantic import Field, ValidationError

from conductor.base.json_types import JsonObject
from conductor.config.explain_invalid import explain_invalid
from conductor.domain.value import Value
from conductor.errors import InvalidParams

T = TypeVar("T", bound=Value)
SkillId = Literal["configure_midi_mapping", "capture_midi_events", "explain_event", "simulate"]
DEFAULT_CAPTURE_S, MAX_CAPTURE_S = 30.0, 300.0
MAX_TEXT_LENGTH = 10_000
DATA_PART_HELP = (
    'Send a data part such as {"skill": "simulate", "arguments": {"gesture": "tap 36"}}; the examples of'
    " the skills in the agent card show the arguments of each"
)

CHANGE_EXAMPLE = (
    '{"skill": "configure_midi_mapping", "arguments": {"changes": [{"tool": "conductor_create_mapping",'
    ' "arguments": {"mode": "Default", "trigger": {"type": "Note", "note": 36}, "action": {"type":'
    ' "Keystroke", "keys": "cmd+c"}}}]}}'
)


class Skill(NamedTuple):
    """A skill as the agent card announces it. Each example is the JSON of a data part, or plain text."""

    skill_id: SkillId
    name: str
    description: str
    tags: tuple[str, ...]
    examples: tuple[str, ...]


SKILLS = (
    Skill(
        "configure_midi_mapping",
        "Change mappings",
        "Proposes a change of the config as a plan with its proof. The task is input-required until the"
        " user approves or rejects the plan in Conductor's window or at a terminal; no message approves it."
        " `changes` are calls of Conductor's planning tools, applied together or not at all. `examples`"
        " are expected behaviours, which are played before the user sees the plan.",
        ("midi", "mapping", "configuration"),
        (
            CHANGE_EXAMPLE,
            "Map pad 36 to copy",
        ),
    ),
    Skill(
        "capture_midi_events",
        "Capture events",
        "Captures what the user plays for `duration_secs` seconds (30 unless given, 300 at most), and"
        " suggests triggers for it.",
        ("midi", "learn", "events"),
        ('{"skill": "capture_midi_events", "arguments": {"duration_secs": 10}}',),
    ),
    Skill(
        "explain_event",
        "Explain an event",
        "Explains why a recorded event did or did not act: every candidate mapping with its reason."
        " Without `sequence`, the last event.",
        ("midi", "debugging"),
        ('{"skill": "explain_event", "arguments": {}}', "Why did the last pad do nothing?"),
    ),
    Skill(
        "simulate",
        "Simulate input",
        "Plays a gesture on the config without performing any action: what would fire, when and why.",
        ("midi", "simulation", "testing"),
        ('{"skill": "simulate", "arguments": {"gesture": "down 36; wait 600; up 36"}}',),
    ),
)


class SkillCall(Value):
    """A data part: the skill and its arguments, which the tool behind the skill validates."""

    skill: SkillId
    arguments: JsonObject = Field(default_factory=JsonObject)


class TextRequest(NamedTuple):
    """A request in plain text, which the user's model has to understand."""

    text: str


class ConfigureArguments(Value):
    """The arguments of `configure_midi_mapping`: changes, or a description in plain text."""

    changes: tuple[JsonObject, ...] = ()
    examples: tuple[JsonObject, ...] = ()
    description: str | None = Field(default=None, min_length=1, max_length=MAX_TEXT_LENGTH)


class CaptureArguments(Value):
    """The arguments of `capture_midi_events`."""

    duration_secs: float = Field(default=DEFAULT_CAPTURE_S, ge=0.1, le=MAX_CAPTURE_S)


def read_request(message: Message) -> SkillCall | TextRequest:
    """Return the skill that a message calls, or its text if it has no data part.

    Raises:
        InvalidParams: The message has neither, several data parts, or a data part that is no skill call.
    """
    parts = [_restore_integers(part) for part in get_data_parts(message.parts)]
    if len(parts) > 1:
        raise InvalidParams(f"A message may have one data part only. {DATA_PART_HELP}")
    if parts:
        return parse_arguments(SkillCall, parts[0])
    text = get_message_text(message).strip()
    if not text:
        raise InvalidParams(f"The message has neither text nor a data part. {DATA_PART_HELP}")
    if len(text) > MAX_TEXT_LENGTH:
        raise InvalidParams(
            f"The text is longer than {MAX_TEXT_LENGTH} characters: shorten it. {DATA_PART_HELP}"
        )
    return TextRequest(text)


def parse_arguments(model: type[T], data: Any) -> T:
    """Validate JSON from a client.

    Raises:
        InvalidParams: The JSON is invalid. The message says where, and how a data part must look.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        words = explain_invalid(error, model.model_fields)
        raise InvalidParams(f"Invalid data part: {words}. {DATA_PART_HELP}") from None


def _restore_integers(data: Any) -> Any:
    """Return JSON data with whole numbers as integers, because protobuf stores every number as a double."""
    if isinstance(data, float) and data.is_integer():
        return int(data)
    if isinstance(data, dict):
        return {name: _restore_integers(each) for name, each in data.items()}
    return [_restore_integers(each) for each in data] if isinstance(data, list) else data
