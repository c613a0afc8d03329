"""A client manager as in the app, with a database of its own, and servers to connect to."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.running import REPOSITORY

from conductor.mcp.client.manager import ClientManager
from conductor.mcp.client.supervisor import SupervisorTimes
from conductor.mcp.client.values import (
    ClientView,
    ConsentedServer,
    SignInStore,
    ToolView,
    UserAnswer,
    UserQuestion,
)
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins
from conductor.tools.registry import ToolRegistry

WITHIN_S = 50.0
SCRIPTS = Path(__file__).parent / "servers"
BIN = REPOSITORY / "node_modules" / ".bin"
PATIENT = SupervisorTimes(back_off_s=(), settle_s=0.05)
"""A server that exits is given up at once."""


class ClientRig:
    """A client manager, the questions it asked, and ways to wait for its changes."""

    def __init__(
        self, folder: Path, times: SupervisorTimes = PATIENT, sign_ins: SignInStore | None = None
    ) -> None:
        self.registry = ToolRegistry()
        self.database = Database(folder / "conductor.db")
        self.questions: list[UserQuestion] = []
        self.answer = UserAnswer(action="cancel")
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.manager = ClientManager(
            self.registry,
            ToolPins(lambda: self.database),
            self._on_change,
            self._on_question,
            times,
            sign_ins,
        )
        self._changes = asyncio.Condition()
        self._notifying: set[asyncio.Task[None]] = set()

    def view(self, name: str = "it") -> ClientView:
        view = self.manager.build_server_view(name)
        assert view is not None
        return view

    def tool(self, tool: str, name: str = "it") -> ToolView:
        return next(each for each in self.view(name).tools if each.name == tool)

    async def until(self, is_so: Callable[[ClientView], bool], name: str = "it") -> ClientView:
        """Wait until the view of a server satisfies a condition."""
        async with asyncio.timeout(WITHIN_S), self._changes:
            await self._changes.wait_for(lambda: is_so(self.view(name)))
        return self.view(name)

    async def until_known(self, name: str = "it") -> None:
        """Wait until the manager has a server of this name."""
        async with asyncio.timeout(WITHIN_S):
            while name not in self.manager.list_server_names():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def logged(self, words: str, count: int = 1, name: str = "it") -> None:
        """Wait until the log of a server has `count` lines with these words."""
        async with asyncio.timeout(WITHIN_S):
            while sum(words in line for line in self.manager.read_server_log(name)) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def text(self, tool: str, name: str = "it", /, **arguments: Any) -> str:
        return (await self.manager.call_tool(name, tool, arguments)).text

    def _on_change(self, _: str) -> None:
        task = asyncio.get_running_loop().create_task(self._notify())
        self._notifying.add(task)
        task.add_done_callback(self._notifying.discard)

    async def _notify(self) -> None:
        async with self._changes:
            self._changes.notify_all()

    async def _on_question(self, question: UserQuestion) -> UserAnswer:
        self.questions.append(question)
        await self.may_answer.wait()
        return self.answer


@asynccontextmanager
async def open_rig(
    folder: Path, times: SupervisorTimes = PATIENT, sign_ins: SignInStore | None = None
) -> AsyncGenerator[ClientRig]:
    rig = ClientRig(folder, times, sign_ins)
    try:
        async with asyncio.timeout(WITHIN_S):
            yield rig
    finally:
        await rig.manager.close()
        rig.database.close()


def with_client(
    folder: Path, work: Callable[[ClientRig], Awaitable[Any]], times: SupervisorTimes = PATIENT
) -> None:
    async def run() -> None:
        async with open_rig(folder, times) as rig:
            await work(rig)

    asyncio.run(run())


def script(name: str, *arguments: str, server: str = "it", **more: Any) -> ConsentedServer:
    """Return a server from the folder `servers`."""
    argv = (sys.executable, str(SCRIPTS / f"{name}.py"), *arguments)
    return ConsentedServer(name=server, transport="stdio", argv=argv, **more)


def npm(name: str, *arguments: str, server: str = "it", **more: Any) -> ConsentedServer:
    return ConsentedServer(
        name=server, transport="stdio", argv=(str(BIN / f"mcp-server-{name}"), *arguments), **more
    )


def module(name: str, *arguments: str, server: str = "it", **more: Any) -> ConsentedServer:
    return ConsentedServer(
        name=server, transport="stdio", argv=(sys.executable, "-m", name, *arguments), **more
    )


def hostile(mode: str, *rest: object, **more: Any) -> ConsentedServer:
    return script("hostile", mode, *(str(each) for each in rest), **more)


async def count_loop_turns(until: "asyncio.Task[object]") -> int:
    """Count the turns of the event loop until a task is done."""
    count = 0
    while not until.done():
        await asyncio.sleep(0.01)
        count += 1
    return count
