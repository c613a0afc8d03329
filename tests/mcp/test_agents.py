"""Agents that use the MCP library's client: both eras of the protocol, over the socket and the proxy."""

from collections.abc import Generator

import anyio
import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from tests.mcp.clients import (
    CONFIG,
    ERAS,
    WAYS,
    WITHOUT_PARTS,
    Era,
    Way,
    plan_for,
    text_of,
    with_client,
)
from tests.support.running import RunningConductor, running_conductor

from mcp import Client, MCPError


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


@pytest.fixture(autouse=True)
def same_config(conductor: RunningConductor) -> None:
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("era", ERAS)
def test_an_agent_lists_and_calls_tools(conductor: RunningConductor, era: Era, way: Way):
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        status = await client.call_tool("conductor_get_status", {})
        assert not status.is_error
        assert status.structured_content is not None
        assert status.structured_content["daemon_running"] is True
        schema = tools["conductor_get_status"].output_schema
        assert schema is not None
        Draft202012Validator(schema).validate(status.structured_content)

    with_client(conductor, work, era=era, way=way)


def test_a_plan_lists_only_the_overlaps_that_it_adds(conductor: RunningConductor):
    row = "[[modes.mappings]]\ntrigger = {{ type = '{}', note = {} }}\naction = {{ type = 'Text', text = 'x' }}\n"
    conductor.use(
        "[[modes]]\nname = 'Default'\n" + row.format("Note", 36) + row.format("LongPress", 36)
    )

    async def work(client: Client) -> None:
        overlaps = (await plan_for(client, "Keys"))["overlaps"]
        assert [item["kind"] for item in overlaps] == ["unreachable_mode"]
        mapping = {"mode": "Default", "trigger": {"type": "DoubleTap", "note": 36}}
        made = await client.call_tool(
            "conductor_create_mapping", {**mapping, "action": {"type": "Text", "text": "y"}}
        )
        assert made.structured_content is not None
        new = made.structured_content["overlaps"]
        assert new
        assert all(item["is_new"] for item in new)

    with_client(conductor, work, era="2026-07-28")


@pytest.mark.parametrize("era", ERAS)
def test_hints_and_the_risk_tier_follow_from_what_a_tool_may_do(
    conductor: RunningConductor, era: Era
):
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            assert tool.annotations is not None
            assert tool.meta is not None
            tier = tool.meta["conductor/riskTier"]
            assert tool.annotations.read_only_hint is (tier == "read_only")
            assert tool.annotations.open_world_hint is (tier == "hardware_io")
            Draft202012Validator.check_schema(tool.input_schema)
        apply = tools["conductor_apply_plan"].annotations
        assert apply is not None
        assert apply.destructive_hint is True
        create = tools["conductor_create_mode"].annotations
        assert create is not None
        assert create.destructive_hint is False

    with_client(conductor, work, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_a_tools_error_is_a_result_that_says_what_to_do_next(conductor: RunningConductor, era: Era):
    async def work(client: Client) -> None:
        wrong = await client.call_tool("conductor_switch_mode", {"mode": "Nope"})
        assert wrong.is_error
        assert "Invalid mode: 'Nope' does not exist" in text_of(wrong)
        assert "conductor_list_modes" in text_of(wrong)
        assert wrong.meta is not None
        assert wrong.meta["conductor/error"]["kind"] == "mode_not_found"
        assert wrong.meta["conductor/error"]["code"] == -32001
        missing = await client.call_tool("conductor_switch_mode", {})
        assert missing.is_error
        assert "Invalid params" in text_of(missing)

    with_client(conductor, work, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_prompt_or_resource_is_invalid_params(
    conductor: RunningConductor, era: Era
):
    async def work(client: Client) -> None:
        for asked in (
            client.call_tool("conductor_fly", {}),
            client.get_prompt("fly", {}),
            client.get_prompt("map_control", {}),
            client.read_resource("conductor://fly"),
            client.read_resource("conductor://plans/none"),
        ):
            with pytest.raises(MCPError) as refused:
                await asked
            assert refused.value.code == -32602

    with_client(conductor, work, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_reads_the_config_the_status_and_a_plan(conductor: RunningConductor, era: Era):
    async def work(client: Client) -> None:
        listed = {str(item.uri) for item in (await client.list_resources()).resources}
        own = {uri for uri in listed if not uri.startswith("skill://")}
        assert own == {"conductor://config", "conductor://status", "conductor://reference"}
        plan = await plan_for(client, "Keys")
        rows = {
            uri: (await client.read_resource(uri)).contents[0]
            for uri in (*listed, f"conductor://plans/{plan['plan_id']}")
        }
        assert all(isinstance(row, types.TextResourceContents) for row in rows.values())
        config = rows["conductor://config"]
        assert isinstance(config, types.TextResourceContents)
        assert config.text == CONFIG
        templates = await client.list_resource_templates()
        assert [item.uri_template for item in templates.resource_templates] == [
            "conductor://plans/{id}"
        ]

    with_client(conductor, work, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_prompts_take_arguments_and_complete_the_names_of_modes(
    conductor: RunningConductor, era: Era
):
    async def work(client: Client) -> None:
        prompts = [item.name for item in (await client.list_prompts()).prompts]
        assert prompts == ["map_control", "why_nothing_happened", "set_up_device"]
        got = await client.get_prompt("map_control", {"what": "copy {x}"})
        content = got.messages[0].content
        assert isinstance(content, types.TextContent)
        assert "copy {x}" in content.text
        reference = types.PromptReference(name="map_control")
        found = await client.complete(reference, {"name": "mode", "value": "d"})
        assert found.completion.values == ["Default", "Drums"]
        found = await client.complete(reference, {"name": "mode", "value": "DR"})
        assert found.completion.values == ["Drums"]

    with_client(conductor, work, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_eight_agents_are_served_at_once(conductor: RunningConductor, era: Era):
    async def many(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(client.call_tool, "conductor_list_modes", {})

    def item() -> None:
        with_client(conductor, many, era=era)

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(anyio.to_thread.run_sync, item)

    anyio.run(all_of_them)
