"""The sign-ins that wait for the user: one for each server, begun and ended by the user alone."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

from conductor.errors import InvalidParams, NotAvailable
from conductor.mcp.client.values import SignIns

if TYPE_CHECKING:
    from conductor.mcp.client.supervisor import Supervisor

CANCELLED = "the sign-in was cancelled; choose Sign in to try again"
NO_STORE = "there is no place where a sign-in could be kept"
MOST = 4
"""Each listens on a port of its own."""
Tell = Callable[[], None]


class OAuthFlow:
    """For the event loop; a task for each sign-in."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._addresses: dict[str, str] = {}

    def address(self, name: str) -> str | None:
        """Return where the user is to sign in: empty while it is not known yet, None when nobody waits."""
        return self._addresses.get(name)

    async def begin(
        self,
        supervisor: "Supervisor",
        store: SignIns,
        tell: Tell,
        done: Callable[[], Awaitable[None]],
    ) -> str:
        """Begin one, or join the one that waits; gives the address to open once it is known.

        Raises:
            NotAvailable: it did not come so far; says why.
            InvalidParams: the server does not ask for it, or too many wait.
        """
        name = supervisor.server.name
        if self._addresses.get(name):
            return self._addresses[name]
        await self.cancel(name)
        if supervisor.challenge is None:
            raise InvalidParams(f"{name} does not ask you to sign in now")
        if len(self._tasks) >= MOST:
            raise InvalidParams("other sign-ins are waiting for you: end or cancel one first")
        found: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._run(supervisor, store, tell, done, found))
        self._tasks[name], self._addresses[name] = task, ""
        task.add_done_callback(lambda task: self._over(name, task))
        supervisor.say(None)
        await asyncio.wait([task, found], return_when=asyncio.FIRST_COMPLETED)
        if found.done() and not found.cancelled():
            return found.result()
        raise NotAvailable(supervisor.problem or CANCELLED)

    async def over(self, name: str) -> None:
        """Wait until the sign-in to a server is over."""
        if name in self._tasks:
            await asyncio.wait([self._tasks[name]])

    async def cancel(self, name: str) -> None:
        """End a sign-in."""
        if name in self._tasks:
            self._tasks[name].cancel()
            await asyncio.wait([self._tasks[name]])

    async def close(self) -> None:
        """End all."""
        await asyncio.gather(*(self.cancel(name) for name in list(self._tasks)))

    async def _run(
        self,
        supervisor: "Supervisor",
        store: SignIns,
        tell: Tell,
        done: Callable[[], Awaitable[None]],
        found: "asyncio.Future[str]",
    ) -> None:
        """Sign in, and start the server anew with what that gave."""
        name, challenge, problem = supervisor.server.name, supervisor.challenge, CANCELLED
        assert challenge is not None

        def show(address: str) -> None:
            self._addresses[name] = address
            found.set_result(address)
            tell()

        try:
            await asyncio.to_thread(import_module, "conductor.mcp.client.sign_in")
            from conductor.mcp.client.sign_in import SigningIn

            await SigningIn(supervisor.server, challenge, store, show).run()
            problem = None
        except NotAvailable as error:
            problem = str(error)
        finally:
            del self._addresses[name]
            if problem is not None:
                supervisor.say(problem)
        if problem is None:
            await done()

    def _over(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
