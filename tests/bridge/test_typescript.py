"""The page's types and forms, from the models."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conductor.bridge.commands import COMMANDS
from conductor.bridge.topics import TOPICS
from conductor.bridge.typescript import render_form_schemas, render_types
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS

ROOT = Path(__file__).parents[2]
FORMATS = {
    "argv",
    "cc",
    "channel",
    "color",
    "curve",
    "device",
    "duration_ms",
    "gamepad_axis",
    "gamepad_button",
    "gamepad_buttons",
    "keys",
    "mode",
    "note",
    "notes",
    "osc_address",
    "output",
    "plugin_args",
    "plugin_server",
    "plugin_tool",
    "variable",
}
FORMS: dict[str, Any] = json.loads(render_form_schemas())
TYPES = render_types()


def test_the_types_compile_and_distinguish_kinds(tmp_path: Path) -> None:
    (tmp_path / "generated.ts").write_text(TYPES)
    (tmp_path / "use.ts").write_text(
        """
        import type { Commands, Topics, Trigger, TriggerInput, Method } from "./generated";
        export const draft: TriggerInput = { type: "Note", note: 36 };
        // @ts-expect-error a trigger that came has all its fields
        export const whole: Trigger = { type: "Note", note: 36 };
        export const sent = (given: Trigger): TriggerInput => given;
        // @ts-expect-error there is no such kind
        export const wrong: TriggerInput = { type: "Nope" };
        export function name(trigger: Trigger): number | null {
          return trigger.type === "LongPress" ? trigger.duration_ms : null;
        }
        type Call = <M extends Method>(m: M, p: Commands[M]["params"]) => Commands[M]["result"];
        export const mode = (call: Call): string => call("app.status", {}).mode;
        export const topic = (told: Topics["status"]): string[] => told.held_keys;
        // @ts-expect-error a parameter is missing
        export const bad = (call: Call) => call("modes.switch", {});
        """
    )
    node = shutil.which("node")
    assert node is not None
    tsc = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    checked = subprocess.run(
        [node, tsc, "--noEmit", "--strict", "--exactOptionalPropertyTypes", tmp_path / "use.ts"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("name", [*COMMANDS, *TOPICS])
def test_every_command_and_topic_has_its_line(name: str) -> None:
    assert f'\t"{name}": ' in TYPES


def test_the_forms_have_every_kind() -> None:
    for form, kinds in (("Trigger", TRIGGER_KINDS), ("Action", ACTION_KINDS)):
        union = FORMS[form] if "oneOf" in FORMS[form] else FORMS[form]["$defs"][form]
        assert set(union["discriminator"]["mapping"]) == set(kinds)


def test_every_special_widget_is_asked_for_and_no_other() -> None:
    assert set(_formats(FORMS)) == FORMATS


def _formats(item: Any) -> list[str]:
    if isinstance(item, list):
        return [found for each in item for found in _formats(each)]
    if not isinstance(item, dict):
        return []
    own = [item["format"]] if isinstance(item.get("format"), str) else []
    return own + [found for each in item.values() for found in _formats(each)]
