"""The Plugin action: tool arguments, values from the control, and its phrase."""

import json
from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.simulate import config

from conductor.config.explain_invalid import explain_invalid
from conductor.domain.actions.base import Fire
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.plugin_args import fill_tool_arguments
from conductor.domain.phrases import describe_action
from conductor.domain.plugin_phrases import describe_allowed_call
from conductor.domain.row_phrases import format_action_phrase
from conductor.domain.validate import check_config

HALF = Fire(64 / 127, steps=-3)


def plugin(args: Any, **more: Any) -> PluginAction:
    return PluginAction.model_validate(
        {"server": "home", "tool": "set_light", "args": args, **more}
    )


def sent(args: dict[str, Any], fire: Fire = HALF) -> dict[str, Any]:
    return fill_tool_arguments(plugin(args).args, fire)


def refusal(args: Any, **more: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        plugin(args, **more)
    return explain_invalid(caught.value, PluginAction.model_fields)


def test_plain_json_is_sent_as_it_is():
    args = {"on": True, "scene": "Scene 2", "n": 3, "x": 0.5, "list": [1, {"a": [False]}], "o": {}}
    assert sent(args) == args
    assert json.dumps(sent(args)) == json.dumps(args)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ({"from": "value"}, 64),
        ({"from": "value", "max": 255}, 129),
        ({"from": "value", "max": 1}, 0.504),
        ({"from": "value", "max": 1, "decimals": 0}, 1),
        ({"from": "value", "min": 100, "max": 0}, 50),
        ({"from": "value", "min": -1, "max": 0.5, "decimals": 2}, -0.24),
        ({"from": "value", "max": 100, "curve": {"type": "Fixed", "value": 127}}, 100),
        ({"from": "value", "max": 100, "curve": {"type": "Linear", "in_min": 64}}, 0),
        ({"from": "steps"}, -3),
        ({"from": "steps", "max": 5}, -3),
    ],
)
def test_a_value_of_the_control_goes_through_its_curve_into_its_range(
    argument: dict[str, Any], value: float
):
    assert sent({"level": argument}) == {"level": value}
    assert isinstance(sent({"level": argument})["level"], type(value))


def test_a_value_of_the_control_is_allowed_anywhere():
    args = {
        "data": {"lights": [{"id": 1, "level": {"from": "value", "max": 100}}, {"from": "value"}]}
    }
    assert sent(args) == {"data": {"lights": [{"id": 1, "level": 50}, 64]}}


def test_a_tool_may_have_a_from_of_its_own():
    args = {
        "from": "EUR",
        "route": {"from": "Berlin", "to": "Bern"},
        "x": {"from": 3},
        "y": {"from": "b"},
    }
    assert sent(args) == args
    assert not plugin(args).follows_control()


def test_only_arguments_of_the_control_make_it_follow_the_control():
    assert plugin({"a": [{"b": {"from": "value"}}]}).follows_control()
    assert not plugin({"a": "value"}).follows_control()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"level": {"from": "valu"}}, "`level.from` is `valu` - did you mean `value`?"),
        ({"a": {"b": [{"from": "step"}]}}, "`a.b[0].from` is `step` - did you mean `steps`?"),
        (
            {"l": {"from": "value", "mx": 3}},
            "`l.mx` is unknown: a control value has `curve`",
        ),
        ({"l": {"from": "value", "max": "loud"}}, "`l.max`: must be a valid number"),
        (
            {"l": {"from": "value", "curve": {"type": "Linear", "in_min": 9, "in_max": 3}}},
            "in_min is over",
        ),
        ({"l": None}, "`l` is null, which config.toml cannot hold: leave it out"),
        ({"l": [1, None]}, "`l[1]` is null"),
        ({"l": float("nan")}, "`l` is nan, which JSON does not have"),
        ({"l": 2**70}, "`l` is too large a number"),
        ({"l": "x" * 30_000}, "20,000 characters"),
        ({"l": ["x" * 5_000] * 5}, "20,000 characters"),
        ({"l": "a\ud83d"}, "there is half a character in `l`"),
        ({"a\ud83d": 1}, "there is half a character in `a\\ud83d`"),
        (
            {"l": {"from": "value", "curve": "Liner"}},
            "`l.curve` is not a curve; did you mean `Linear`?",
        ),
        ("text", "args: "),
    ],
)
def test_bad_arguments_are_refused_with_their_place(args: Any, words: str):
    assert words in refusal(args)


def test_arguments_that_are_nested_without_end_are_refused():
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    assert "is nested more than 12 deep" in refusal({"l": deep})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rate_per_s", 0),
        ("rate_per_s", 101),
        ("timeout_s", 0),
        ("server", ""),
        ("server", "a:b"),
        ("tool", "a\nb"),
    ],
)
def test_what_is_out_of_bounds_is_refused(field: str, value: Any):
    assert refusal({}, **{field: value}).startswith(f"{field}: ")


def test_it_crosses_the_link_and_the_file_unchanged():
    action = plugin(
        {"a": [{"from": "value", "max": 255, "curve": "PassThrough"}], "b": {"c": True}}
    )
    assert PluginAction.model_validate_json(action.model_dump_json()) == action
    assert PluginAction.model_validate(action.to_plain()) == action
    assert action.to_plain()["args"] == {"a": [{"from": "value", "max": 255}], "b": {"c": True}}


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        ("set_scene", {"scene": "Scene 2"}, "set scene Scene 2 via obs"),
        ("set-light", {"id": "desk", "level": {"from": "value"}},
         "set light id desk, level from the control via obs"),
        ("start", {}, "start via obs"),
        ("x", {"a": True, "b": [1], "c": {"d": 1}}, "x a on, b a list, c several values via obs"),
        ("say", {"text": "x" * 200}, f"say {'x' * 29}… via obs"),
    ],
)  # fmt: skip
def test_it_reads_as_what_is_called_with_what(tool: str, args: dict[str, Any], words: str):
    action = PluginAction(server="obs", tool=tool, args=args)
    assert describe_action(action.to_plain()) == words
    assert format_action_phrase(action) == words[:1].upper() + words[1:]


def test_what_the_user_allows_names_the_arguments():
    action = plugin({"id": "desk", "level": {"from": "value"}})
    assert describe_allowed_call(action.to_plain()) == (
        "the tool `set_light` of the MCP server `home` with `id`, `level` (from the control)"
    )


def test_what_cannot_be_seen_is_shown_where_it_is_allowed():
    action = PluginAction(server="home", tool="set\u202ethgil", args={"a\u200b": 1})
    assert describe_allowed_call(action.to_plain()) == (
        "the tool `set\\u202ethgil` of the MCP server `home` with `a\\u200b`"
    )
    assert "\u202e" not in describe_action(action.to_plain())


def test_a_server_that_is_not_switched_on_is_warned_of():
    rows = [
        "Note note=36 -> Plugin server=hme tool=on",
        "Note note=37 -> Plugin server=home tool=on",
    ]
    report = check_config(config(rows, skills={"servers": ["home"]}))
    assert report.valid
    [problem] = report.warnings
    assert problem.path == "global_mappings[0].action"
    assert "the MCP server `hme` is not switched on - did you mean `home`?" in problem.message


def test_the_record_of_what_was_done_has_what_the_control_gave_and_the_mapping_keeps_its_own():
    action = plugin({"level": {"from": "value"}, "name": "desk"})
    done = action.resolve_to_plain(HALF)
    assert done["args"] == {"level": 64, "name": "desk"}
    assert describe_action(done) == "set light level 64, name desk via home"
    assert action.to_plain()["args"]["level"]["from"] == "value"
