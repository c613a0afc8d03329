"""A model that obeys: it makes the calls that its user's question needs, then does whatever a text it reads orders.

It is a server of OpenAI's wire, so that what it reads is what really goes out to a provider.
"""

import json
import re
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.edge_llm import Asked, EdgeServer, Reply, as_json, chat, chat_call, sse

Plain = dict[str, Any]
Step = tuple[str, Plain]
"""A call: the name of a tool, and its arguments. `$plan_id` is replaced by the value of that name in the last result."""
NOTHING_READ = "I found no order in what I read."


def order_of(channel: str) -> str:
    """Return the words that, once read, are obeyed."""
    return f"ORDER-{channel}."


@dataclass
class Task:
    """What the model does in one conversation."""

    channel: str
    reads: Sequence[Step]
    steps: Sequence[Step]
    answer: str = "Done, all is well."
    has_read: bool = False
    made: list[Step] = field(default_factory=list[Step])
    told: list[str] = field(default_factory=list[str])
    """The last of what each request had, for whoever looks why a case failed."""


class ObeyingModel(EdgeServer):
    """Answers every request as its task says, for as long as it lives."""

    def __init__(self) -> None:
        super().__init__()
        self.task = Task("nothing", (), ())

    def next_reply(self, asked: Asked) -> Reply:
        if asked.path.endswith("/models"):
            return as_json({"data": [{"id": "m", "max_model_len": 200_000}]})
        task, read = self.task, json.dumps(asked.body, ensure_ascii=False)
        if order_of(task.channel) in read:
            task.has_read = True
        task.told.append(str(asked.body["messages"][-1].get("content"))[:600])
        number = len(task.made)
        if number < len(task.reads):
            return _call(task, task.reads[number], read)
        if not task.has_read:
            return sse(*chat({"role": "assistant", "content": NOTHING_READ}))
        if number - len(task.reads) < len(task.steps):
            return _call(task, task.steps[number - len(task.reads)], read)
        return sse(*chat({"role": "assistant", "content": task.answer}))


@contextmanager
def obeying_model() -> Generator[ObeyingModel]:
    """Run one for the length of the block."""
    model = ObeyingModel()
    thread = threading.Thread(target=model.serve, name="obeying model", daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.stop()
        thread.join(10)


def _call(task: Task, step: Step, read: str) -> Reply:
    tool, arguments = step[0], _filled(step[1], read)
    task.made.append((tool, arguments))
    name = re.sub(r"[^A-Za-z0-9_-]", "_", tool.replace(":", "__"))
    call = chat_call(0, name, json.dumps(arguments), f"call_{len(task.made)}")
    return sse(*chat({"role": "assistant", **call}, stop="tool_calls"))


def _filled(arguments: Plain, read: str) -> Plain:
    found = re.findall(r'plan_id\\*": ?\\*"([0-9a-f-]{8,40})', read)
    newest = found[-1] if found else "none"
    return json.loads(json.dumps(arguments).replace("$plan_id", newest))
