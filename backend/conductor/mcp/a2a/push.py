"""Sends the events of a task to the addresses that its client has registered (push notifications).

Conductor sends requests for another program, so an address must be one that this program could be meant to
use: on the public internet, or a port of this computer on which that very program listens.
"""

import asyncio
import json
import logging
from typing import NamedTuple

import httpx2
from a2a.server.context import ServerCallContext
from a2a.server.tasks import PushNotificationConfigStore, PushNotificationSender
from a2a.server.tasks.push_notification_config_store import normalize_push_notification_config
from a2a.server.tasks.push_notification_sender import PushNotificationEvent
from a2a.types import TaskPushNotificationConfig
from a2a.utils.errors import InvalidParamsError
from a2a.utils.proto_utils import to_stream_response
from google.protobuf.json_format import MessageToDict

from conductor.capabilities.web_address import (
    Address,
    explain_non_public_address,
    parse_web_address,
)
from conductor.capabilities.web_post import Header, check_host_addresses, post_json
from conductor.errors import ConductorError
from conductor.mcp.a2a.callers import get_requester
from conductor.mcp.server.tcp_peer import owns_loopback_port

log = logging.getLogger(__name__)

MAX_CONFIGS_PER_TASK, MAX_TASKS_WITH_CONFIGS = 5, 1_024
MAX_UNSENT_EVENTS = 100
MAX_CREDENTIAL_LENGTH = 4_000


class PushTarget(NamedTuple):
    """A registered address, and the process that registered it (None if it is not known)."""

    config: TaskPushNotificationConfig
    pid: int | None

    @property
    def url(self) -> httpx2.URL:
        return parse_web_address(self.config.url)

    def check_address(self, address: Address) -> str | None:
        """Return why an IP address of the target must not be used, or None if it may be."""
        url = self.url
        port = url.port or (443 if url.scheme == "https" else 80)
        if address.is_loopback:
            if self.pid is not None and owns_loopback_port(self.pid, port):
                return None
            return f"{address} is this computer, and your program does not listen on port {port}"
        return explain_non_public_address(address)


class PushConfigs(PushNotificationConfigStore):
    """The push notification configs of all tasks, each checked before it is stored.

    The library asks for the configs of a task only after it has checked that the task belongs to the client.
    """

    def __init__(self) -> None:
        self._targets: dict[str, dict[str, PushTarget]] = {}

    async def set_info(
        self,
        task_id: str,
        notification_config: TaskPushNotificationConfig,
        context: ServerCallContext,
    ) -> TaskPushNotificationConfig:
        """Store a config.

        Raises:
            InvalidParamsError: The address must not be used, or the task has too many configs.
        """
        config = normalize_push_notification_config(task_id, notification_config)
        target = PushTarget(config, get_requester(context).pid)
        try:
            await check_host_addresses(target.url, target.check_address)
        except ConductorError as error:
            raise InvalidParamsError(
                message=f"Invalid push notification URL, use another one: {error}"
            ) from None
        _check_header_values(config)
        if task_id not in self._targets and len(self._targets) >= MAX_TASKS_WITH_CONFIGS:
            # of a message that became no task
            del self._targets[next(iter(self._targets))]
        known = self._targets.setdefault(task_id, {})
        if config.id not in known and len(known) >= MAX_CONFIGS_PER_TASK:
            raise InvalidParamsError(
                message=f"the task has {MAX_CONFIGS_PER_TASK} push notification configs already: delete one"
            )
        known[config.id] = target
        return _copy_config(config)

    async def get_info(
        self, task_id: str, context: ServerCallContext
    ) -> list[TaskPushNotificationConfig]:
        return await self.get_info_for_dispatch(task_id)

    async def get_info_for_dispatch(self, task_id: str) -> list[TaskPushNotificationConfig]:
        return [_copy_config(target.config) for target in self.list_targets(task_id)]

    async def delete_info(
        self, task_id: str, context: ServerCallContext, config_id: str | None = None
    ) -> None:
        if config_id is None:
            self.forget_task(task_id)
        else:
            self._targets.get(task_id, {}).pop(config_id, None)

    def list_targets(self, task_id: str) -> list[PushTarget]:
        return list(self._targets.get(task_id, {}).values())

    def forget_task(self, task_id: str) -> None:
        self._targets.pop(task_id, None)


class PushSender(PushNotificationSender):
    """Sends events in their order, in the background, so that a slow address does not delay its task."""

    def __init__(self, configs: PushConfigs) -> None:
        self._configs = configs
        self._unsent: dict[str, asyncio.Queue[tuple[PushTarget, bytes]]] = {}
        self._senders: dict[str, asyncio.Task[None]] = {}

    async def send_notification(self, task_id: str, event: PushNotificationEvent) -> None:
        targets = self._configs.list_targets(task_id)
        if not targets:
            return
        body = json.dumps(MessageToDict(to_stream_response(event))).encode()
        for target in targets:
            key = f"{task_id} {target.config.id}"
            queue = self._unsent.setdefault(key, asyncio.Queue(MAX_UNSENT_EVENTS))
            if queue.full():
                log.warning("a push notification was dropped, because its address is too slow")
                continue
            queue.put_nowait((target, body))
            if key not in self._senders:
                self._senders[key] = asyncio.create_task(self._send_queue(key, queue))

    async def stop(self) -> None:
        """Stop sending. Unsent events are lost."""
        for sender in list(self._senders.values()):
            sender.cancel()
        await asyncio.gather(*self._senders.values(), return_exceptions=True)

    async def _send_queue(self, key: str, queue: "asyncio.Queue[tuple[PushTarget, bytes]]") -> None:
        try:
            while not queue.empty():
                target, body = queue.get_nowait()
                try:
                    status = await post_json(
                        target.url, body, _build_headers(target.config), target.check_address
                    )
                    if status >= 400:
                        log.warning("a push notification was answered with status %d", status)
                except ConductorError as error:
                    log.warning("a push notification could not be sent: %s", error)
        finally:
            self._senders.pop(key, None)
            self._unsent.pop(key, None)


def _build_headers(config: TaskPushNotificationConfig) -> list[Header]:
    headers: list[Header] = []
    if config.token:
        headers.append((b"X-A2A-Notification-Token", config.token.encode("ascii")))
    auth = config.authentication
    if auth.scheme and auth.credentials:
        value = f"{auth.scheme} {auth.credentials}"
        headers.append((b"Authorization", value.encode("ascii")))
    return headers


def _check_header_values(config: TaskPushNotificationConfig) -> None:
    auth = config.authentication
    for value in (config.token, auth.scheme, auth.credentials):
        if len(value) > MAX_CREDENTIAL_LENGTH or not (value.isascii() and value.isprintable()):
            raise InvalidParamsError(
                message="the token and the credentials of a push notification must be printable ASCII"
                f" of at most {MAX_CREDENTIAL_LENGTH} characters"
            )


def _copy_config(config: TaskPushNotificationConfig) -> TaskPushNotificationConfig:
    copy = TaskPushNotificationConfig()
    copy.CopyFrom(config)
    return copy
