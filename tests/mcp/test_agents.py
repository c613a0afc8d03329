"""Agents that use the MCP library's client: both eras of the protocol, over the socket and the bridge."""

import tomllib
from collections.abc import Generator
from typing import Any

import anyio
import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from tests.mcp.clients import ERAS, WAYS, Era, Way, with_client
from tests.support.running import RunningConductor, running_conductor

from mcp import Client, MCPError

CONFIG = "[[modes]]\nname = 'Default'\n\n[[modes]]\nname = 'Drums'\n"


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(
        CONFIG, environment={"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    ) as one:
        yield one


@pytest.fixture(autouse=True)
def same_config(conductor: RunningConductor) -> None:
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)


def text_of(result: types.CallToolResult) -> str:
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    return first.text


async def plan_for(client: Client, mode: str) -> dict[str, Any]:
    made = await client.call_tool("conductor_create_mode", {"name": mode})
    assert not made.is_error, text_of(made)
    assert made.structured_content is not None
    assert made.structured_content["status"] == "pending"
    return made.structured_content


def modes(conductor: RunningConductor) -> list[str]:
    return [mode["name"] for mode in tomllib.loads(conductor.config_path.read_text())["modes"]]


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
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {"conductor://config", "conductor://status"}
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
        assert [one.uri_template for one in templates.resource_templates] == [
            "conductor://plans/{id}"
        ]

    with_client(conductor, work, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_prompts_take_arguments_and_complete_the_names_of_modes(
    conductor: RunningConductor, era: Era
):
    async def work(client: Client) -> None:
        prompts = [one.name for one in (await client.list_prompts()).prompts]
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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("era", ERAS)
def test_an_accepted_form_with_the_whole_diff_applies_a_plan(
    conductor: RunningConductor, era: Era, way: Way
):
    shown: list[str] = []

    async def accept(_: Any, params: Any) -> types.ElicitResult:
        shown.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    async def work(client: Client) -> None:
        plan = await plan_for(client, "Keys")
        applied = await client.call_tool("conductor_apply_plan", {"plan_id": plan["plan_id"]})
        assert not applied.is_error, text_of(applied)
        assert applied.structured_content is not None
        assert applied.structured_content["status"] == "applied"
        assert len(shown) == 1
        assert plan["diff_preview"] in shown[0]

    with_client(conductor, work, era=era, way=way, on_elicit=accept)
    assert modes(conductor) == ["Default", "Drums", "Keys"]


@pytest.mark.parametrize(
    "answer",
    [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="accept", content={"approve": False}),
    ],
)
@pytest.mark.parametrize("era", ERAS)
def test_a_declined_form_rejects_the_plan_for_good(
    conductor: RunningConductor, era: Era, answer: types.ElicitResult
):
    asked: list[str] = []

    async def decline(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return answer

    async def work(client: Client) -> None:
        plan = await plan_for(client, "Keys")
        for _ in range(2):
            refused = await client.call_tool("conductor_apply_plan", {"plan_id": plan["plan_id"]})
            assert refused.is_error
        got = await client.call_tool("conductor_get_plan", {"plan_id": plan["plan_id"]})
        assert got.structured_content is not None
        assert got.structured_content["status"] == "rejected"

    with_client(conductor, work, era=era, on_elicit=decline)
    assert len(asked) == 1
    assert modes(conductor) == ["Default", "Drums"]


@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_form_leaves_the_plan_waiting(conductor: RunningConductor, era: Era):
    async def cancel(_: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="cancel")

    async def work(client: Client) -> None:
        plan = await plan_for(client, "Keys")
        waits = await client.call_tool("conductor_apply_plan", {"plan_id": plan["plan_id"]})
        assert not waits.is_error
        assert waits.structured_content is not None
        assert waits.structured_content["status"] == "pending"
        assert "conductor plans approve" in text_of(waits)

    with_client(conductor, work, era=era, on_elicit=cancel)
    assert modes(conductor) == ["Default", "Drums"]


@pytest.mark.parametrize("era", ERAS)
def test_a_client_without_forms_is_told_that_the_plan_waits(conductor: RunningConductor, era: Era):
    async def work(client: Client) -> None:
        plan = await plan_for(client, "Keys")
        waits = await client.call_tool("conductor_apply_plan", {"plan_id": plan["plan_id"]})
        assert waits.structured_content is not None
        assert waits.structured_content["status"] == "pending"

    with_client(conductor, work, era=era)
    assert modes(conductor) == ["Default", "Drums"]


@pytest.mark.parametrize("era", ERAS)
def test_where_only_the_window_may_approve_no_form_is_shown(conductor: RunningConductor, era: Era):
    conductor.use(CONFIG + "\n[llm.mcp]\napproval = 'gui'\n")

    async def never(_: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("a form was shown")

    async def work(client: Client) -> None:
        plan = await plan_for(client, "Keys")
        waits = await client.call_tool("conductor_apply_plan", {"plan_id": plan["plan_id"]})
        assert waits.structured_content is not None
        assert waits.structured_content["status"] == "pending"

    with_client(conductor, work, era=era, on_elicit=never)


def test_a_privileged_plan_is_never_approved_by_a_form(conductor: RunningConductor):
    async def never(_: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("a form was shown")

    async def work(client: Client) -> None:
        made = await client.call_tool("conductor_reset_config", {})
        assert made.structured_content is not None, text_of(made)
        plan_id = made.structured_content["plan_id"]
        waits = await client.call_tool("conductor_apply_plan", {"plan_id": plan_id})
        assert waits.structured_content is not None
        assert waits.structured_content["status"] == "pending"

    with_client(conductor, work, era="legacy", on_elicit=never)


def test_an_answer_to_a_form_that_was_never_shown_counts_for_nothing(conductor: RunningConductor):
    asked: list[str] = []

    async def cancel(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="cancel")

    async def work(client: Client) -> None:
        first, second = await plan_for(client, "Keys"), await plan_for(client, "Pads")
        for state in ("made-up", "", None):
            answer = await client.session.send_request(
                types.CallToolRequest(
                    params=types.CallToolRequestParams(
                        name="conductor_apply_plan",
                        arguments={"plan_id": first["plan_id"]},
                        input_responses={
                            "approve": types.ElicitResult(
                                action="accept", content={"approve": True}
                            )
                        },
                        request_state=state,
                    )
                ),
                types.InputRequiredResult,
            )
            assert answer.request_state
        stolen = await client.session.send_request(
            types.CallToolRequest(
                params=types.CallToolRequestParams(
                    name="conductor_apply_plan",
                    arguments={"plan_id": second["plan_id"]},
                    input_responses={
                        "approve": types.ElicitResult(action="accept", content={"approve": True})
                    },
                    request_state=answer.request_state,
                )
            ),
            types.InputRequiredResult,
        )
        assert stolen.request_state != answer.request_state

    with_client(conductor, work, era="2026-07-28", on_elicit=cancel)
    assert modes(conductor) == ["Default", "Drums"]


def test_a_subscriber_of_the_handshake_era_hears_of_each_change(conductor: RunningConductor):
    heard: list[str] = []
    change = anyio.Event

    async def work(client: Client) -> None:
        told = change()

        async def hear(message: Any) -> None:
            if isinstance(message, types.ResourceUpdatedNotification):
                heard.append(str(message.params.uri))
                told.set()

        hearing.append(hear)
        about = types.SubscribeRequestParams(uri="conductor://config")
        await client.session.send_request(types.SubscribeRequest(params=about), types.EmptyResult)
        await anyio.to_thread.run_sync(conductor.use, CONFIG + "\n[[modes]]\nname = 'Keys'\n")
        await told.wait()

    hearing: list[Any] = []

    async def pass_on(message: Any) -> None:
        for hear in hearing:
            await hear(message)

    with_client(conductor, work, era="legacy", on_message=pass_on)
    assert set(heard) == {"conductor://config"}


def test_a_listener_of_the_modern_era_hears_of_each_change(conductor: RunningConductor):
    async def work(client: Client) -> None:
        async with client.listen(resource_subscriptions=["conductor://config"]) as events:
            await anyio.to_thread.run_sync(conductor.use, CONFIG + "\n[[modes]]\nname = 'Keys'\n")
            async for event in events:
                assert str(getattr(event, "uri", "")) == "conductor://config"
                break

    with_client(conductor, work, era="2026-07-28")


@pytest.mark.parametrize("era", ERAS)
def test_eight_agents_are_served_at_once(conductor: RunningConductor, era: Era):
    async def many(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(client.call_tool, "conductor_list_modes", {})

    def one() -> None:
        with_client(conductor, many, era=era)

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(anyio.to_thread.run_sync, one)

    anyio.run(all_of_them)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_wants_to_know_hears_that_a_call_still_waits(
    conductor: RunningConductor, era: Era
):
    heard: list[str | None] = []

    async def work(client: Client) -> None:
        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            heard.append(message)
            told.set()

        told = anyio.Event()

        async def slow(_: Any, params: Any) -> types.ElicitResult:
            if era == "legacy":
                await told.wait()
            return types.ElicitResult(action="cancel")

        client_answers.append(slow)
        plan = await plan_for(client, "Keys")
        await client.call_tool(
            "conductor_apply_plan", {"plan_id": plan["plan_id"]}, progress_callback=on_progress
        )

    client_answers: list[Any] = []

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        return await client_answers[0](context, params)

    with_client(conductor, work, era=era, on_elicit=answer)
    assert heard == ["waiting for the user's approval"] * len(heard)
    assert bool(heard) is (era == "legacy")


def test_an_agent_hears_when_other_tools_are_allowed(conductor: RunningConductor):
    heard: list[Any] = []

    async def work(client: Client) -> None:
        before = len((await client.list_tools()).tools)
        text = CONFIG + "\n[llm.mcp]\nread_only = true\n"
        await anyio.to_thread.run_sync(conductor.use, text)
        while not heard:
            await anyio.lowlevel.checkpoint()
        after = (await client.list_tools()).tools
        assert len(after) < before
        assert all(tool.meta == {"conductor/riskTier": "read_only"} for tool in after)

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            heard.append(message)

    with_client(conductor, work, era="legacy", on_message=hear)
