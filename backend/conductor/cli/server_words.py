"""MCP servers as a person at a terminal reads them: whole, and with nothing that a terminal would obey."""

import shlex
from typing import Any

from conductor.base.invisible_chars import reveal_hidden

Plain = dict[str, Any]
STATES = {
    "off": "off",
    "needs_consent": "waits for your consent: `conductor servers start {0}`",
    "starting": "starting",
    "ready": "ready",
    "failed": "failed",
    "stopped": "stopped",
    "sign_in": "waits for you to sign in: `conductor servers sign-in {0}`",
}
OFF_BY_KIND = "off for the assistant: Integrations are off; controls may call it"


def list_lines(server: Plain) -> list[str]:
    """Return a server in a few lines."""
    state = STATES[server["state"]].format(server["name"])
    count = len(server["tools"])
    tools = f", {count} tool{'' if count == 1 else 's'}" if server["state"] == "ready" else ""
    rows = [f"{server['name']}  {state}{tools}", f"    {_what(server)}"]
    if server["problem"]:
        rows += [f"    {line}" for line in server["problem"].split("\n")]
    waiting = [one["name"] for one in server["tools"] if one["state"] != "ok"]
    if waiting:
        rows.append(f"    changed or new, and off until you accept them: {', '.join(waiting)}")
    return [reveal_hidden(row) for row in rows]


def server_lines(server: Plain) -> list[str]:
    """Return all that one agrees to, each argument by itself."""
    rows = [f"server     {server['name']}"]
    if server["transport"] == "stdio":
        rows += [f"program    {server['command']}"]
        if server["program"] not in (None, server["command"]):
            rows += [f"           found as {server['program']}"]
        rows += [
            f"{'arguments' if not at else '':<10} {one}" for at, one in enumerate(server["args"])
        ]
        rows += [f"folder     {server['cwd'] or 'your home folder'}"]
        rows += [f"variables  {', '.join(server['env_names']) or 'none of its own'}"]
    else:
        rows += [f"address    {server['url']}"]
        rows += [f"headers    {', '.join(server['header_names']) or 'none of its own'}"]
    rows += [f"careful    {one}" for one in server["advice"]]
    rows += [f"note       {one}" for one in server["notes"]]
    if server["problem"]:
        rows += [f"problem    {server['problem']}"]
    return [reveal_hidden(row) for row in rows]


def tool_lines(tool: Plain) -> list[str]:
    """Return a tool, with what has changed of it."""
    off = OFF_BY_KIND if tool["off_by_kind"] else "off"
    word = {"ok": "on" if tool["enabled"] else off}.get(tool["state"], tool["state"])
    rows = [reveal_hidden(f"{tool['name']}  ({word})  {tool['title']}")]
    rows += [
        f"    {line}" for line in reveal_hidden(tool["description"], keep="\n").split("\n") if line
    ]
    rows += [reveal_hidden(f"    careful: {one}") for one in tool["warnings"]]
    if tool["problem"]:
        rows.append(reveal_hidden(f"    cannot be used: {tool['problem']}"))
    if tool["changes"]:
        rows += [f"    {line}" for line in reveal_hidden(tool["changes"], keep="\n").split("\n")]
    return rows


def importable_lines(source: Plain) -> list[str]:
    """Return what another program has."""
    rows = [f"{source['title']}  ({source['client']}: {source['path']})"]
    if source["problem"]:
        rows.append(f"    {source['problem']}")
    for one in source["servers"]:
        here = "  (is here already)" if one["exists"] else ""
        entry = one["entry"]
        words = [entry.get("command", ""), *_texts(entry.get("args"))]
        what = entry.get("url") or entry.get("httpUrl") or shlex.join(words)
        rows.append(f"    {one['name']}{here}  {what}")
        rows += [f"        {note}" for note in one["notes"]]
    return [reveal_hidden(row) for row in rows]


def _what(server: Plain) -> str:
    if server["url"]:
        return server["url"]
    return shlex.join([server["command"] or "", *server["args"]])


def _texts(items: Any) -> list[str]:
    return [str(one) for one in items] if isinstance(items, list) else []
