"""The client that the official suite drives: Conductor's host, which does with a server what it can."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2
from tests.mcp_client.rig import ClientRig, open_rig

from conductor.errors import ConductorError
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.values import QuestionAnswer, Server, ToolView
from conductor.storage.keys import PASSPHRASE, Keys
from conductor.storage.sign_ins import SignIns

SIGN_INS = 3
ECHOES_A_SCHEMA = "json-schema-2020-12-preservation"
SAMPLES: dict[str, Any] = {
    "integer": 5,
    "number": 3,
    "string": "x",
    "boolean": True,
    "object": {},
    "array": [],
}


async def play(rig: ClientRig, url: str) -> None:
    """Connect, call every tool, read every resource, get every prompt."""
    rig.answer = QuestionAnswer(action="accept")
    given = context()
    client = OAuthClient(given.get("client_id", ""), given.get("client_secret", ""))
    await rig.manager.start(Server("it", "http", url=url, oauth=client))
    await signed_in(rig)
    view = rig.view()
    sys.stderr.write(f"{view.state} {view.era} {view.problem}\n")
    for name, arguments in calls(rig, view.tools):
        await tried(rig.manager.call("it", name, arguments, timeout_s=20))
        if rig.view().sign_in == "more" or await refused(rig):
            await signed_in(rig)
            await tried(rig.manager.call("it", name, arguments, timeout_s=20))
    for resource in view.resources:
        if not resource.is_template:
            await tried(rig.manager.read("it", resource.uri))
    for prompt in view.prompts:
        given = {str(one["name"]): "x" for one in prompt.arguments}
        await tried(rig.manager.prompt("it", prompt.name, given))


async def signed_in(rig: ClientRig) -> None:
    """Sign in as a user would, as often as one has the patience to."""
    for _ in range(SIGN_INS):
        if rig.view().sign_in not in ("needed", "more"):
            return
        try:
            address = await rig.manager.sign_in("it")
        except ConductorError as error:
            sys.stderr.write(f"no sign-in: {error}\n")
            return
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            await tried_to(browser.get(address))
        await rig.manager.wait_signed_in("it")
        sys.stderr.write(f"signed in: {rig.view().state} {rig.view().problem}\n")


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


async def tried_to(work: Any) -> None:
    try:
        sys.stderr.write(f"browser: {(await work).status_code}\n")
    except httpx2.HTTPError as error:
        sys.stderr.write(f"browser: {error!r}\n")


def calls(rig: ClientRig, tools: tuple[ToolView, ...]) -> list[tuple[str, dict[str, Any]]]:
    """Return what to call: what the suite wants called, or everything with what fits."""
    if "toolCalls" in context():
        return [(one["name"], one["arguments"]) for one in context()["toolCalls"]]
    if os.environ.get("MCP_CONFORMANCE_SCENARIO") == ECHOES_A_SCHEMA:
        rich, echo = tools
        kept = rig.manager._servers["it"].offered[rich.name].pin.raw  # pyright: ignore[reportPrivateUsage]
        return [(echo.name, {"schema": json.loads(kept)["inputSchema"]})]
    return [(tool.name, fitting(tool.parameters)) for tool in tools if tool.problem is None]


def context() -> dict[str, Any]:
    """Return what the suite reports besides the address."""
    return json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")


def fitting(schema: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, dict[str, Any]] = schema.get("properties", {})
    return {name: SAMPLES.get(str(field.get("type")), "x") for name, field in fields.items()}


async def tried(work: Any) -> None:
    try:
        sys.stderr.write(f"{await work}\n"[:500])
    except ConductorError as error:
        sys.stderr.write(f"{error}\n")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        keys = Keys(Path(folder), environment={PASSPHRASE: "of the conformance suite"})
        async with open_rig(Path(folder), sign_ins=SignIns(keys)) as rig:
            await play(rig, sys.argv[1])


asyncio.run(main())
