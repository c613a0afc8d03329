"""The client that the official suite drives: Conductor's host, which does with a server what it can."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2
from tests.mcp_client.stand import Stand, standing

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


async def play(stand: Stand, url: str) -> None:
    """Connect, call every tool, read every resource, get every prompt."""
    stand.answer = QuestionAnswer(action="accept")
    given = context()
    client = OAuthClient(given.get("client_id", ""), given.get("client_secret", ""))
    await stand.host.start(Server("it", "http", url=url, oauth=client))
    await signed_in(stand)
    view = stand.view()
    sys.stderr.write(f"{view.state} {view.era} {view.problem}\n")
    for name, arguments in calls(stand, view.tools):
        await tried(stand.host.call("it", name, arguments, timeout_s=20))
        if stand.view().sign_in == "more" or await refused(stand):
            await signed_in(stand)
            await tried(stand.host.call("it", name, arguments, timeout_s=20))
    for resource in view.resources:
        if not resource.is_template:
            await tried(stand.host.read("it", resource.uri))
    for prompt in view.prompts:
        given = {str(one["name"]): "x" for one in prompt.arguments}
        await tried(stand.host.prompt("it", prompt.name, given))


async def signed_in(stand: Stand) -> None:
    """Sign in as a user would, as often as one has the patience to."""
    for _ in range(SIGN_INS):
        if stand.view().sign_in not in ("needed", "more"):
            return
        try:
            address = await stand.host.sign_in("it")
        except ConductorError as error:
            sys.stderr.write(f"no sign-in: {error}\n")
            return
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            await tried_to(browser.get(address))
        await stand.host.wait_signed_in("it")
        sys.stderr.write(f"signed in: {stand.view().state} {stand.view().problem}\n")


async def refused(stand: Stand) -> bool:
    """Return whether the server does not know the user any more, which shows once it was let go."""
    if stand.view().sign_in != "done":
        return False
    try:
        async with asyncio.timeout(0.5):
            await stand.until(lambda view: view.state == "sign_in")
    except TimeoutError:
        return False
    return True


async def tried_to(work: Any) -> None:
    try:
        sys.stderr.write(f"browser: {(await work).status_code}\n")
    except httpx2.HTTPError as error:
        sys.stderr.write(f"browser: {error!r}\n")


def calls(stand: Stand, tools: tuple[ToolView, ...]) -> list[tuple[str, dict[str, Any]]]:
    """Return what to call: what the suite wants called, or everything with what fits."""
    if "toolCalls" in context():
        return [(one["name"], one["arguments"]) for one in context()["toolCalls"]]
    if os.environ.get("MCP_CONFORMANCE_SCENARIO") == ECHOES_A_SCHEMA:
        rich, echo = tools
        kept = stand.host._servers["it"].offered[rich.name].pin.raw  # pyright: ignore[reportPrivateUsage]
        return [(echo.name, {"schema": json.loads(kept)["inputSchema"]})]
    return [(tool.name, fitting(tool.parameters)) for tool in tools if tool.problem is None]


def context() -> dict[str, Any]:
    """Return what the suite tells besides the address."""
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
        async with standing(Path(folder), sign_ins=SignIns(keys)) as stand:
            await play(stand, sys.argv[1])


asyncio.run(main())
