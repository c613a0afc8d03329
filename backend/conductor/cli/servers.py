"""`conductor servers`: the MCP servers whose tools the assistant and mappings may use."""

import argparse
import getpass
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.base.paths import home
from conductor.cli.client import Client
from conductor.cli.server_sign_in import sign_in, sign_out
from conductor.cli.server_words import importable_lines, list_lines, server_lines, tool_lines
from conductor.cli.words import plain, plain_line
from conductor.domain.validate import did_you_mean
from conductor.errors import InvalidParams, NotAllowed, NotRunning

if TYPE_CHECKING:
    from conductor.mcp.registry.discovery import Source
    from conductor.mcp.registry.file import ServersFile

Plain = dict[str, Any]
WAITS_S = 180.0
"""A server may have to be fetched from the internet first."""
NOT_RUN = (
    "{0} stays in mcp.json, and does not run before you agree to it: `conductor servers start {0}`,"
    " or in the window. `conductor servers remove {0}` takes it out."
)
WAITING = (
    "{0} is being started. Waiting for it to answer: seconds as a rule, a minute when it has to be"
    " fetched first; `conductor servers log {0}` shows what it prints."
)
LATER = "It does not run before you agree to it: `conductor servers start {0}`, or in the window."
NO_TERMINAL = (
    "this changes what programs run: it is for you, at a terminal or in Settings > MCP servers"
)


def run(args: argparse.Namespace) -> int:
    """Do one of them; what is in the file can be looked at and changed without a running Conductor."""
    reads = {"list": _list, "log": _log}
    if args.what in reads:
        return reads[args.what](args)
    if args.what == "tools" and not (args.on or args.off or args.accept):
        return _tools(args)
    if args.what == "import" and not args.names and not args.all:
        return _importable(args)
    if not sys.stdin.isatty():
        raise NotAllowed(NO_TERMINAL)
    commands = {
        "sign-in": sign_in,
        "sign-out": sign_out,
        "add": _add,
        "import": _import,
        "remove": _remove,
        "start": _start,
        "stop": _plainly,
        "restart": _start,
        "test": _test,
        "enable": _enable,
        "disable": _plainly,
        "tools": _set_tools,
    }
    return commands[args.what](args)


def _list(args: argparse.Namespace) -> int:
    client = _client()
    seen = _from_file() if client is None else client.call("terminal.servers.list")
    if args.json:
        print(json.dumps(seen))
        return 0
    if seen["problem"]:
        print(plain_line(f"{seen['problem']}"))
    for server in seen["servers"]:
        print("\n".join(list_lines(server)))
    if not seen["servers"] and not seen["problem"]:
        print(plain_line(f"No MCP server is set up ({seen['path']})."))
    return 0


def _from_file() -> Plain:
    """Return what can be said without a running Conductor."""
    from conductor.domain.settings import SkillsSettings
    from conductor.mcp.registry.views import ServerStatus, check_consent, view_of

    file, settings = _file(), SkillsSettings()
    content = file.read()
    views = [
        view_of(one, ServerStatus(True, None, False, None, None, settings, check_consent(one)))
        for one in content.servers.values()
    ]
    rows = [one.model_dump(mode="json") for one in views]
    for row in rows:
        row["state"] = "failed" if row["problem"] else "off"
    return {"servers": rows, "path": str(file.path), "problem": content.problem}


def _log(args: argparse.Namespace) -> int:
    for line in Client().call("terminal.servers.log", name=args.name)["lines"]:
        print(plain_line(line))
    return 0


def _tools(args: argparse.Namespace) -> int:
    server = _server(Client(), args.name)
    if args.json:
        print(json.dumps(server["tools"]))
        return 0
    for tool in server["tools"]:
        print("\n".join(tool_lines(tool)))
    if not server["tools"]:
        print(plain_line(f"{args.name} is {server['state']}; its tools are known while it runs."))
    return 0


def _set_tools(args: argparse.Namespace) -> int:
    client = Client()
    for tool, on in [*((one, True) for one in args.on), *((one, False) for one in args.off)]:
        client.call("terminal.servers.tool", server=args.name, tool=tool, enabled=on)
        print(plain_line(f"{tool} is {'on' if on else 'off'}"))
    for name in args.accept:
        found = [one for one in _server(client, args.name)["tools"] if one["name"] == name]
        if not found:
            names = [one["name"] for one in _server(client, args.name)["tools"]]
            hint = did_you_mean(name, names) or ", or does not run"
            raise InvalidParams(f"{args.name} has no tool {name[:80]}{hint}")
        print("\n".join(tool_lines(found[0])))
        if not _typed_yes("Accept this tool as it is now?"):
            print(plain_line(f"{name} is not accepted, and stays off."))
            return 1
        digest = found[0]["digest"]
        client.call("terminal.servers.accept", server=args.name, tool=name, digest=digest)
    return 0


def _add(args: argparse.Namespace) -> int:
    entry = _entry(args)
    client = _client()
    if client is not None:
        server = client.call("terminal.servers.add", name=args.name, entry=entry)
        return _agree(client, server["name"])
    from conductor.mcp.registry.entry import label_of

    name = label_of(args.name)
    for note in _keep(_file(), name, entry):
        print(plain_line(note))
    print(plain_line(f"{name} is added. {LATER.format(name)}"))
    return 0


def _entry(args: argparse.Namespace) -> Plain:
    """Make an entry of the arguments."""
    words: list[str] = args.command_line
    if (args.url is None) == (not words):
        raise InvalidParams("give the command after `--`, or an address by --url")
    if args.url is not None:
        headers = _pairs(args.header, ":")
        return {"type": "http", "url": args.url, **({"headers": headers} if headers else {})}
    env, cwd = _pairs(args.env, "="), {"cwd": str(args.cwd)} if args.cwd else {}
    return {"command": words[0], "args": words[1:], **cwd, **({"env": env} if env else {})}


def _pairs(given: list[str], sign: str) -> dict[str, str]:
    """Read NAME=VALUE; the value of a NAME alone is asked for, so that no shell's history has it."""
    pairs: dict[str, str] = {}
    for one in given:
        name, has_value, value = one.partition(sign)
        pairs[name.strip()] = value.strip() if has_value else getpass.getpass(f"{name}: ")
    return pairs


def _importable(args: argparse.Namespace) -> int:
    sources = _sources(args)
    if args.json:
        print(json.dumps({"sources": sources}))
        return 0
    for one in sources:
        print("\n".join(importable_lines(one)))
    if not sources:
        print("No other program with MCP servers was found here; a file can be named instead.")
    return 0


def _sources(args: argparse.Namespace) -> list[Plain]:
    from conductor.mcp.registry.discovery import sources
    from conductor.mcp.registry.views import importable

    found = [_source(args)] if args.client else sources()
    here = _file().read().servers
    return [
        {
            "client": one.client,
            "title": one.title,
            "path": str(one.path),
            "problem": one.problem,
            "servers": [
                importable(row.name, row.raw, row.notes, here.get(row.name)).model_dump()
                for row in one.servers
            ],
        }
        for one in found
    ]


def _source(args: argparse.Namespace) -> "Source":
    from conductor.mcp.registry.discovery import FROM_FILE, TITLES, place, source

    client: str = args.client
    if client in TITLES:
        return source(client, place(client))
    return source(FROM_FILE, Path(client).expanduser().absolute())


def _import(args: argparse.Namespace) -> int:
    if not args.client:
        raise InvalidParams("say from where: a program, or a file")
    found = _source(args)
    names = [one.name for one in found.servers] if args.all else list[str](args.names)
    client = _client()
    if client is None:
        return _import_without_app(found, names, args)
    done = client.call(
        "terminal.servers.import",
        client=found.client,
        path=str(found.path),
        names=names,
        replace=args.replace,
    )
    for note in done["notes"]:
        print(plain_line(note))
    return max((_agree(client, name) for name in done["names"]), default=1)


def _import_without_app(found: "Source", names: list[str], args: argparse.Namespace) -> int:
    from conductor.mcp.registry.importer import import_entries

    done, notes = import_entries(_file(), found, names, _keys(), replace=args.replace)
    for note in notes:
        print(plain_line(note))
    for name in done:
        print(plain_line(f"{name} is added. {LATER.format(name)}"))
    return 0 if done else 1


def _remove(args: argparse.Namespace) -> int:
    client = _client()
    if client is None:
        from conductor.mcp.registry.importer import remove_entry

        remove_entry(_file(), args.name, _keys())
    else:
        client.call("terminal.servers.remove", name=args.name)
    print(plain_line(f"{args.name} is removed."))
    return 0


def _start(args: argparse.Namespace) -> int:
    client = Client()
    server = _server(client, args.name)
    if not server["consented"] and not _consent(client, server):
        return 1
    return _done(client, f"terminal.servers.{args.what}", args.name)


def _enable(args: argparse.Namespace) -> int:
    client = Client()
    client.call("terminal.servers.enable", name=args.name)
    return _agree(client, args.name)


def _plainly(args: argparse.Namespace) -> int:
    server = Client().call(f"terminal.servers.{args.what}", name=args.name)
    print("\n".join(list_lines(server)))
    return 0


def _test(args: argparse.Namespace) -> int:
    client = Client()
    server = _server(client, args.name)
    if not server["consented"] and not _consent(client, server):
        return 1
    client.set_timeout(WAITS_S)
    tested = client.call("terminal.servers.test", name=args.name)
    print(plain(f"{tested['words']} ({tested['took_ms']:.0f} ms)"))
    for tool in tested["server"]["tools"]:
        print("\n".join(tool_lines(tool)))
    return 0 if tested["ok"] else 1


def _agree(client: Client, name: str) -> int:
    """Show what is new and would run, ask for a yes, and wait until it runs."""
    server = _server(client, name)
    if server["consented"]:
        print("\n".join(list_lines(server)))
        return 0
    if not _consent(client, server):
        return 1
    return _done(client, "terminal.servers.start", name)


def _consent(client: Client, server: Plain) -> bool:
    print("\n".join(server_lines(server)))
    is_program = server["transport"] == "stdio"
    what = "run this program with your rights" if is_program else "speak to this address"
    is_agreed = False
    try:
        is_agreed = not server["problem"] and _typed_yes(f"Let Conductor {what}?")
    finally:  # also when Ctrl+C ends the command
        if not is_agreed:
            print(plain_line(NOT_RUN.format(server["name"])))
    if not is_agreed:
        return False
    client.call("terminal.servers.consent", name=server["name"], digest=server["digest"])
    return True


def _done(client: Client, method: str, name: str) -> int:
    """Call what starts a server, and say what became of it."""
    client.set_timeout(WAITS_S)
    print(plain_line(WAITING.format(name)), flush=True)
    server = client.call(method, name=name)
    print("\n".join(list_lines(server)))
    return 0 if server["state"] in ("ready", "starting") else 1


def _typed_yes(question: str) -> bool:
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        print()
        return False
    except KeyboardInterrupt:
        print()
        raise


def _server(client: Client, name: str) -> Plain:
    servers = client.call("terminal.servers.list")["servers"]
    found = next((one for one in servers if one["name"] == name), None)
    if found is None:
        there = ", ".join(one["name"] for one in servers) or "none is set up"
        raise InvalidParams(f"there is no MCP server called {name[:60]!r} (there: {there})")
    return found


def _client() -> Client | None:
    try:
        return Client()
    except NotRunning:
        return None


def _file() -> "ServersFile":
    from conductor.mcp.registry.file import FILE, ServersFile

    return ServersFile(home() / FILE)


def _keys() -> Any:
    from conductor.storage.keys import Keys

    return Keys(home())


def _keep(file: "ServersFile", name: str, entry: Plain) -> list[str]:
    from conductor.mcp.registry.importer import save_entry

    return save_entry(file, name, entry, _keys(), is_new=True)
