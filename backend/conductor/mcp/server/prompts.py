"""Serves MCP prompts for common tasks, and completes the arguments of prompts and resources."""

from typing import Any, NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from conductor.base.json_types import JsonObject
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.requesters import find_requester

Context = ServerRequestContext[Any]
MAX_COMPLETIONS = 100
MAX_PROMPT_ARGUMENT_LENGTH = 500


class PromptDefinition(NamedTuple):
    """An MCP prompt for a common task, whose text contains a placeholder for each argument."""

    name: str
    title: str
    description: str
    arguments: dict[str, tuple[str, bool]]
    """The description of each argument, and whether it is required."""
    text: str


PROMPT_DEFINITIONS = (
    PromptDefinition(
        "map_control",
        "Map a control",
        "Make a pad, key, knob or button do something",
        {
            "what": ("What it should do, such as `copy` or `next track`", True),
            "mode": ("The mode of the mapping; by default the active mode", False),
        },
        "Map a control so that it does this: {what}. Mode: {mode}.\n"
        "1. Call conductor_start_midi_learn and ask me to play the control; then conductor_stop_midi_learn.\n"
        "2. Check with conductor_get_mappings whether the control already has a mapping in this mode.\n"
        "3. Call conductor_create_mapping with one example for each gesture that matters. It changes nothing "
        "yet: it returns a plan.\n"
        "4. Summarize briefly what the plan changes, its warnings, overlaps and replay. Then call "
        "conductor_apply_plan; only I can approve it.",
    ),
    PromptDefinition(
        "why_nothing_happened",
        "Why did nothing happen?",
        "Find out why a control did nothing, or something else",
        {"expected": ("What should have happened", False)},
        "I played a control and it did not do what I expected: {expected}.\n"
        "1. Call conductor_get_status: is the device connected and enabled, is the mode right, are there "
        "problems?\n"
        "2. Call conductor_get_recent_events to see whether the event arrived, and conductor_explain_event "
        "for why it did or did not trigger an action.\n"
        "3. Tell me the reason with its numbers. Propose a change only if the config is the cause.",
    ),
    PromptDefinition(
        "set_up_device",
        "Set up a device",
        "Give a controller or gamepad a name and its first mappings",
        {
            "device": (
                "The name of the device or a part of it; by default the device played last",
                False,
            )
        },
        "Set up my device: {device}.\n"
        "1. Call conductor_list_devices and conductor_list_device_bindings; conductor_scan_ports if it is "
        "missing.\n"
        "2. Propose an identity with conductor_create_device_identity, matching by name unless two of the "
        "same kind are connected.\n"
        "3. Ask what its controls should do, have me play them with MIDI Learn, and propose all mappings "
        "as one plan with conductor_batch.",
    ),
)


class PromptHandlers:
    """Handles the MCP requests `prompts/*` and `completion/complete`."""

    def __init__(self, deps: ServerDeps) -> None:
        self._deps = deps

    async def list_prompts(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[_build_mcp_prompt(prompt) for prompt in PROMPT_DEFINITIONS]
        )

    async def get_prompt(
        self, _ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = next((prompt for prompt in PROMPT_DEFINITIONS if prompt.name == params.name), None)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:80]}")
        arguments = params.arguments or {}
        missing = [
            name
            for name, (_, is_required) in prompt.arguments.items()
            if is_required and not arguments.get(name)
        ]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"Missing argument: {', '.join(missing)}")
        values = {
            name: arguments.get(name, "not specified")[:MAX_PROMPT_ARGUMENT_LENGTH]
            for name in prompt.arguments
        }
        message = types.PromptMessage(
            role="user", content=types.TextContent(text=prompt.text.format(**values))
        )
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def complete_argument(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        names = await self._list_completion_names(ctx, params.argument.name)
        prefix = params.argument.value.casefold()
        matches = [name for name in names if name.casefold().startswith(prefix)]
        return types.CompleteResult(
            completion=types.Completion(
                values=matches[:MAX_COMPLETIONS],
                total=len(matches),
                has_more=len(matches) > MAX_COMPLETIONS,
            )
        )

    async def _list_completion_names(self, ctx: Context, argument: str) -> list[str]:
        if argument == "mode":
            return [
                row["name"]
                for row in await self._call_list_tool(ctx, "conductor_list_modes", "modes")
            ]
        if argument == "id":
            return [
                row["plan_id"]
                for row in await self._call_list_tool(ctx, "conductor_list_plans", "plans")
            ]
        if argument == "device":
            rows = await self._call_list_tool(
                ctx, "conductor_list_device_bindings", "device_bindings"
            )
            return [row["device_id"] for row in rows]
        return []

    async def _call_list_tool(self, ctx: Context, tool: str, field: str) -> list[JsonObject]:
        outcome = await self._deps.gate.call_tool(tool, {}, find_requester(ctx))
        return [] if outcome.error is not None else outcome.to_plain()[field]


def _build_mcp_prompt(prompt: PromptDefinition) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(name=name, description=text, required=is_required)
            for name, (text, is_required) in prompt.arguments.items()
        ],
    )
