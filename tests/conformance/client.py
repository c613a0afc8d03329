"""The client that the official suite drives: Conductor's host, which does with a server what it can.

The suite starts a command for each scenario. That is `client_stub.py`, which passes its scenario to the tests'
process, where everything is imported already.
"""

import asyncio
import json
import shlex
import sys
import threading
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
from tests.mcp_client.rig import ClientRig, open_rig
from tests.support.key_files import keys_in_file
from tests.support.running import short_home

from conductor.errors import ConductorError
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.values import ConsentedServer, ToolView, UserAnswer
from conductor.storage.sign_ins import SignIns

SIGN_INS = 3
AT_ONCE = 4
"""How many scenarios are played at a time: the suite starts all of them, and more are not faster."""
ECHOES_A_SCHEMA = "json-schema-2020-12-preservation"
SAMPLES: dict[str, Any] = {
    "integer": 5,
    "number": 3,
    "string": "x",
    "boolean": True,
    "object": {},
    "array": [],
}


@dataclass
class Scenario:
    """A scenario of the suite, and what the client reports about it."""

    url: str
    name: str
    context: dict[str, Any]
    """What the suite reports besides the address."""
    lines: list[str]

    def report(self, text: object) -> None:
        self.lines.append(str(text)[:500])


async def play(rig: ClientRig, scenario: Scenario) -> None:
    """Connect, call every tool, read every resource, get every prompt."""
    rig.answer = UserAnswer(action="accept")
    given = scenario.context
    client = OAuthClient(given.get("client_id", ""), given.get("client_secret", ""))
    await rig.manager.start(ConsentedServer("it", "http", url=scenario.url, oauth=client))
    await signed_in(rig, scenario)
    view = rig.view()
    scenario.report(f"{view.state} {view.era} {view.problem}")
    for name, arguments in calls(rig, view.tools, scenario):
        await tried(rig.manager.call_tool("it", name, arguments, timeout_s=20), scenario)
        if rig.view().sign_in == "more" or await refused(rig):
            await signed_in(rig, scenario)
            await tried(rig.manager.call_tool("it", name, arguments, timeout_s=20), scenario)
    for resource in view.resources:
        if not resource.is_template:
            await tried(rig.manager.read_resource("it", resource.uri), scenario)
    for prompt in view.prompts:
        given = {str(one["name"]): "x" for one in prompt.arguments}
        await tried(rig.manager.get_prompt("it", prompt.name, given), scenario)


async def signed_in(rig: ClientRig, scenario: Scenario) -> None:
    """Sign in as a user would, as often as one has the patience to."""
    for _ in range(SIGN_INS):
        if rig.view().sign_in not in ("needed", "more"):
            return
        try:
            address = await rig.manager.sign_in("it")
        except ConductorError as error:
            scenario.report(f"no sign-in: {error}")
            return
        async with httpx2.AsyncClient(follow_redirects=True, verify=False) as browser:
            await tried_to(browser.get(address), scenario)
        await rig.manager.wait_until_signed_in("it")
        scenario.report(f"signed in: {rig.view().state} {rig.view().problem}")


async def refused(rig: ClientRig) -> bool:
    """Return whether the server does not know the user any more, which shows once it was disconnected."""
    if rig.view().sign_in != "done":
        return False
    try:
        async with asyncio.timeout(0.5):
            await rig.until(lambda view: view.state == "sign_in")
    except TimeoutError:
        return False
    return True


async def tried_to(work: Any, scenario: Scenario) -> None:
    try:
        scenario.report(f"browser: {(await work).status_code}")
    except httpx2.HTTPError as error:
        scenario.report(f"browser: {error!r}")


def calls(
    rig: ClientRig, tools: tuple[ToolView, ...], scenario: Scenario
) -> list[tuple[str, dict[str, Any]]]:
    """Return what to call: what the suite wants called, or everything with what fits."""
    if "toolCalls" in scenario.context:
        return [(one["name"], one["arguments"]) for one in scenario.context["toolCalls"]]
    if scenario.name == ECHOES_A_SCHEMA:
        rich, echo = tools
        kept = rig.manager._servers["it"].offered[rich.name].pin.raw  # pyright: ignore[reportPrivateUsage]
        return [(echo.name, {"schema": json.loads(kept)["inputSchema"]})]
    return [(tool.name, fitting(tool.parameters)) for tool in tools if tool.problem is None]


def fitting(schema: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, dict[str, Any]] = schema.get("properties", {})
    return {name: SAMPLES.get(str(field.get("type")), "x") for name, field in fields.items()}


async def tried(work: Any, scenario: Scenario) -> None:
    try:
        scenario.report(await work)
    except ConductorError as error:
        scenario.report(error)


async def play_scenario(scenario: Scenario) -> None:
    with short_home() as folder:
        async with open_rig(folder, sign_ins=SignIns(keys_in_file(folder))) as rig:
            await play(rig, scenario)


@contextmanager
def playing_scenarios(folder: Path) -> Generator[str]:
    """Play the scenarios that `client_stub.py` passes here; yield the command for the suite."""
    path = folder / "client.sock"
    stub = Path(__file__).with_name("client_stub.py")
    ready, stop = Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]](), asyncio.Event()

    async def serve() -> None:
        server = await asyncio.start_unix_server(partial(answer, asyncio.Semaphore(AT_ONCE)), path)
        ready.set_result((asyncio.get_running_loop(), stop))
        await stop.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="suite client")
    thread.start()
    loop, stop = ready.result(20)
    try:
        yield shlex.join([sys.executable, "-I", "-S", str(stub), str(path)])
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)


async def answer(
    at_once: asyncio.Semaphore, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Play one scenario when its turn comes, and answer with what the client reports."""
    url, name, context = json.loads(await reader.readline())
    scenario = Scenario(url, name, json.loads(context or "{}"), [])
    try:
        async with at_once:
            await play_scenario(scenario)
    except Exception as error:  # noqa: BLE001 - shown with the suite's output
        scenario.report(f"failed: {error!r}")
    writer.write("\n".join(scenario.lines).encode())
    await writer.drain()
    writer.close()
