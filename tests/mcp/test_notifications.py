"""Notifications to agents: changed resources, changed tools, and progress of calls."""

from collections.abc import Generator
from typing import Any

import anyio
import mcp_types as types
import pytest
from tests.mcp.clients import CONFIG, ERAS, FORMS, WITHOUT_PARTS, Era, plan_for, with_client
from tests.support.running import RunningConductor, running_conductor

from mcp import Client


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


@pytest.fixture(autouse=True)
def same_config(conductor: RunningConductor) -> None:
    if conductor.config_path.read_text() != CONFIG:
        conductor.use(CONFIG)


def test_a_subscriber_of_the_handshake_era_is_notified_of_each_change(conductor: RunningConductor):
    received: list[str] = []
    change = anyio.Event

    async def work(client: Client) -> None:
        notified = change()

        async def on_message(message: Any) -> None:
            if isinstance(message, types.ResourceUpdatedNotification):
                received.append(str(message.params.uri))
                notified.set()

        handlers.append(on_message)
        about = types.SubscribeRequestParams(uri="conductor://config")
        await client.session.send_request(types.SubscribeRequest(params=about), types.EmptyResult)
        await anyio.to_thread.run_sync(conductor.use, CONFIG + "\n[[modes]]\nname = 'Keys'\n")
        await notified.wait()

    handlers: list[Any] = []

    async def pass_on(message: Any) -> None:
        for on_message in handlers:
            await on_message(message)

    with_client(conductor, work, era="legacy", on_message=pass_on)
    assert set(received) == {"conductor://config"}


def test_a_listener_is_notified_of_a_new_mode_and_reads_it(conductor: RunningConductor):
    async def work(client: Client) -> None:
        async with client.listen(resource_subscriptions=["conductor://status"]) as events:
            await anyio.to_thread.run_sync(lambda: conductor.cli("mode", "Drums"))
            async for event in events:
                assert str(getattr(event, "uri", "")) == "conductor://status"
                read = await client.read_resource("conductor://status")
                if '"mode": "Drums"' in getattr(read.contents[0], "text", "").replace(
                    '":"', '": "'
                ):
                    break

    with_client(conductor, work, era="2026-07-28")


def test_a_listener_of_the_modern_era_is_notified_of_each_change(conductor: RunningConductor):
    async def work(client: Client) -> None:
        async with client.listen(resource_subscriptions=["conductor://config"]) as events:
            await anyio.to_thread.run_sync(conductor.use, CONFIG + "\n[[modes]]\nname = 'Keys'\n")
            async for event in events:
                assert str(getattr(event, "uri", "")) == "conductor://config"
                break

    with_client(conductor, work, era="2026-07-28")


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_asks_for_progress_gets_it_while_a_call_waits(
    conductor: RunningConductor, era: Era
):
    received: list[str | None] = []
    conductor.use(CONFIG + FORMS)

    async def work(client: Client) -> None:
        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            received.append(message)
            notified.set()

        notified = anyio.Event()

        async def slow(_: Any, params: Any) -> types.ElicitResult:
            if era == "legacy":
                await notified.wait()
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
    assert received == ["waiting for the user's approval"] * len(received)
    assert bool(received) is (era == "legacy")


def test_an_agent_is_notified_when_the_allowed_tools_change(conductor: RunningConductor):
    received: list[Any] = []

    async def work(client: Client) -> None:
        before = len((await client.list_tools()).tools)
        text = CONFIG + "\n[llm.mcp]\nread_only = true\n"
        await anyio.to_thread.run_sync(conductor.use, text)
        while not received:
            await anyio.lowlevel.checkpoint()
        after = (await client.list_tools()).tools
        assert len(after) < before
        assert all(tool.meta == {"conductor/riskTier": "read_only"} for tool in after)

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            received.append(message)

    with_client(conductor, work, era="legacy", on_message=on_message)
