"""Describes MCP servers for a terminal.

Escape sequences and invisible characters are made visible, as the texts are untrusted.
"""

import shlex
from typing import Any

from conductor.base.invisible_chars import reveal_hidden
from conductor.base.json_types import JsonObject

TEXT_BY_SERVER_STATE = {
    "off": "off",
    "needs_consent": "waiting for your consent: `conductor servers start {0}`",
    "starting": "starting",
    "ready": "ready",
    "failed": "failed",
    "stopped": "stopped",
    "sign_in": "sign-in required: `conductor servers sign-in {0}`",
}
OFF_BY_TIER_TEXT = "off for the assistant because Integrations are off; mappings can call it"


def format_status(server: JsonObject) -> list[str]:
    """Return a few lines about the status of an MCP server."""
    state = TEXT_BY_SERVER_STATE[server["state"]].format(server["name"])
    count = len(server["tools"])
    tools = f", {count} tool{'' if count == 1 else 's'}" if server["state"] == "ready" else ""
    rows = [f"{server['name']}  {state}{tools}", f"    {_format_target(server)}"]
    if server["problem"]:
        rows += [f"    {line}" for line in server["problem"].split("\n")]
    pending = [tool["name"] for tool in server["tools"] if tool["state"] != "ok"]
    if pending:
        rows.append(f"    new or changed tools, off until you accept them: {', '.join(pending)}")
    return [reveal_hidden(row) for row in rows]


def format_details(server: JsonObject) -> list[str]:
    """Return all lines that the user must see before consenting to an MCP server, with one line for each
    argument.
    """
    rows = [f"server     {server['name']}"]
    if server["transport"] == "stdio":
        rows += [f"program    {server['command']}"]
        if server["program"] not in (None, server["command"]):
            rows += [f"           found as {server['program']}"]
        rows += [
            f"{'arguments' if not at else '':<10} {text}" for at, text in enumerate(server["args"])
        ]
        rows += [f"folder     {server['cwd'] or 'your home folder'}"]
        rows += [f"variables  {', '.join(server['env_names']) or 'none'}"]
    else:
        rows += [f"address    {server['url']}"]
        rows += [f"headers    {', '.join(server['header_names']) or 'none'}"]
    rows += [f"warning    {text}" for text in server["advice"]]
    rows += [f"note       {text}" for text in server["notes"]]
    if server["problem"]:
        rows += [f"problem    {server['problem']}"]
    return [reveal_hidden(row) for row in rows]


def format_tool(tool: JsonObject) -> list[str]:
    """Return the lines that describe a tool, including what has changed since the user accepted it."""
    off = OFF_BY_TIER_TEXT if tool["off_by_kind"] else "off"
    state = {"ok": "on" if tool["enabled"] else off}.get(tool["state"], tool["state"])
    rows = [reveal_hidden(f"{tool['name']}  ({state})  {tool['title']}")]
    rows += [
        f"    {line}" for line in reveal_hidden(tool["description"], keep="\n").split("\n") if line
    ]
    rows += [reveal_hidden(f"    warning: {text}") for text in tool["warnings"]]
    if tool["problem"]:
        rows.append(reveal_hidden(f"    cannot be used: {tool['problem']}"))
    if tool["changes"]:
        rows += [f"    {line}" for line in reveal_hidden(tool["changes"], keep="\n").split("\n")]
    return rows


def format_importable(source: JsonObject) -> list[str]:
    """Return the lines that list the MCP servers which can be imported from another program or a file."""
    rows = [f"{source['title']}  ({source['client']}: {source['path']})"]
    if source["problem"]:
        rows.append(f"    {source['problem']}")
    for server in source["servers"]:
        suffix = "  (already added)" if server["exists"] else ""
        entry = server["entry"]
        command = [str(entry.get("command", "")), *_to_string_list(entry.get("args"))]
        target = str(entry.get("url") or entry.get("httpUrl") or shlex.join(command))
        rows.append(f"    {server['name']}{suffix}  {target}")
        rows += [f"        {note}" for note in server["notes"]]
    return [reveal_hidden(row) for row in rows]


def _format_target(server: JsonObject) -> str:
    """Return the URL of an MCP server, or the command line that starts it."""
    if server["url"]:
        return server["url"]
    return shlex.join([server["command"] or "", *server["args"]])


def _to_string_list(items: Any) -> list[str]:
    return [str(item) for item in items] if isinstance(items, list) else []
