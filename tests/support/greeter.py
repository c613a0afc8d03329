"""A small MCP server for tests, of the 2025 kind, with nothing but the standard library.

`greeter.py [DESCRIPTION or @FILE]`: tools `greet`, `ask` (asks the user for a name), `variables` and `crash`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

Plain = dict[str, Any]
TEXT = {"type": "string"}


def tool(name: str, description: str, /, **properties: Plain) -> Plain:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema}


def tools() -> list[Plain]:
    described = sys.argv[1] if len(sys.argv) > 1 else "Greet somebody."
    if described.startswith("@"):
        described = Path(described[1:]).read_text()
    return [
        tool("greet", described, name=TEXT),
        tool("ask", "Ask the user for a name, and greet it."),
        tool("variables", "Say which variables are set."),
        tool("crash", "End at once."),
    ]


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(number: Any, words: str) -> None:
    send(id=number, result={"content": [{"type": "text", "text": words}]})


def call(number: Any, name: str, arguments: Plain) -> None:
    match name:
        case "greet":
            text(number, f"Hello {arguments['name']}")
        case "ask":
            ask(number)
        case "variables":
            text(number, json.dumps(dict(os.environ)))
        case _:
            sys.stderr.write("I crash now\n")
            os._exit(3)


def ask(number: Any) -> None:
    fields = {"name": TEXT, "api_key": TEXT}
    form = {"type": "object", "properties": fields, "required": ["name"]}
    asked = {"message": "Who are you?", "requestedSchema": form}
    send(id="question", method="elicitation/create", params=asked)
    for line in sys.stdin:
        answer = json.loads(line)
        if answer.get("id") == "question":
            text(number, json.dumps(answer.get("result", answer.get("error"))))
            return
        if answer.get("method") == "notifications/cancelled":
            return


def main() -> None:
    sys.stderr.write("greeter is there\n")
    for line in sys.stdin:
        message = json.loads(line)
        number, params = message.get("id"), message.get("params", {})
        match message.get("method"):
            case "initialize":
                about = {"name": "greeter", "title": "Greeter", "version": "1.0"}
                able = {"tools": {}}
                version = params["protocolVersion"]
                result = {"protocolVersion": version, "capabilities": able, "serverInfo": about}
                send(id=number, result=result)
            case "tools/list":
                send(id=number, result={"tools": tools()})
            case "tools/call":
                call(number, params["name"], params.get("arguments", {}))
            case _ if number is not None:
                send(id=number, error={"code": -32601, "message": "Method not found"})
            case _:  # a notification
                pass


if __name__ == "__main__":
    main()
