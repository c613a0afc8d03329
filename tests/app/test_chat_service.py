"""The chat of the app: made without the window waiting, its providers looked at, and ended in time."""

import asyncio
import threading
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.agent.stage import CONFIG, Scripted, Stage, say, spin
from tests.support.edge_llm import EdgeServer, as_json, edge_server
from tests.support.running import wait_for

from conductor.app import chat_service
from conductor.app.chat_service import ChatService
from conductor.app.lazy_llm import LazyLlm
from conductor.app.llm_services import LlmServices
from conductor.base.detached import DETACHED_THREAD_NAME
from conductor.config.store import ConfigStore
from conductor.domain.chat.messages import ChatRequest, StreamEvent, TextDelta
from conductor.storage.records import Records

WITHIN_S = 60.0
LAB = '[llm]\ndefault_provider = "lab"\n[llm.providers.lab]\nkind = "custom"\nmodel = "m"\nbase_url = "{url}"\n'


class Small:
    """A chat service with a real config, real storage and real providers, over a chat that is only built."""

    def __init__(self, home: Path, config: str) -> None:
        self.path = home / "config.toml"
        self.path.write_text(config)
        self.index_readers: list[threading.Thread] = []
        self.store = ConfigStore(self.path, on_change=lambda _config, _reason: self._changed())
        self.store.load_file()
        self.records = Records(home / "conductor.db", print)
        self.lazy_llm = LazyLlm(
            home,
            lambda: self.store.current_config.llm,
            self.records,
            self._on_providers_cleared,
            lambda _name, _health: None,
        )
        self.service = ChatService(
            lambda: Stage(home, config=CONFIG).chat,
            self.lazy_llm,
            lambda: self.index_readers.append(threading.current_thread()),
            lambda _event: None,
        )

    @property
    def llm(self) -> LlmServices:
        return self.lazy_llm.services

    def _on_providers_cleared(self) -> None:
        self.service.recheck_providers()

    def _changed(self) -> None:
        self.lazy_llm.on_config_change()

    def close(self) -> None:
        self.records.close()


@contextmanager
def lab(home: Path, config: str = "") -> Generator[tuple[Small, EdgeServer]]:
    with edge_server() as edge:
        listing = as_json({"data": [{"id": "m", "max_model_len": 16_384}]})
        edge.reply(*[listing] * 5)
        app = Small(home, config + LAB.format(url=edge.url))
        try:
            yield app, edge
        finally:
            app.close()


async def until(holds: Any) -> None:
    await asyncio.to_thread(wait_for, holds, bool, WITHIN_S)


def window_of(app: Small) -> int:
    return app.llm.providers.get_provider("lab").get_capabilities("m").context_tokens


def test_the_models_of_providers_are_read_at_the_start_and_when_one_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(chat_service, "PROVIDER_PRELOAD_DELAY_S", 0)

    async def run(app: Small, edge: EdgeServer) -> None:
        await app.service.open_chat()
        await until(lambda: len(edge.asked) == 1)
        await until(lambda: window_of(app) == 16_384)
        before = app.llm.providers.get_provider("lab")
        text = app.path.read_text()
        app.path.write_text(text.replace("[llm]\n", "[llm]\nmax_steps = 5\n"))
        await asyncio.to_thread(app.store.reload_file)
        assert app.store.current_config.llm.max_steps == 5
        assert app.llm.providers.get_provider("lab") is before
        app.path.write_text(text + "max_tokens = 900\n")
        await asyncio.to_thread(app.store.reload_file)
        assert app.llm.providers.get_provider("lab") is not before
        await until(lambda: len(edge.asked) == 2)
        await app.service.close()

    with lab(tmp_path) as (app, edge):
        asyncio.run(run(app, edge))
        assert [asked.path for asked in edge.asked] == ["/models", "/models"]


def test_the_chat_of_the_page_answers_once_the_chat_is_created(tmp_path: Path):
    async def run(app: Small) -> None:
        making, may_make = asyncio.Event(), asyncio.Event()
        made = app.service.open_chat

        async def slowly() -> Any:
            making.set()
            await may_make.wait()
            return await made()

        app.service.open_chat = slowly
        chat = app.service.open_for_pages()
        asked = asyncio.create_task(asyncio.to_thread(chat.list_conversations))
        await making.wait()
        assert not asked.done()
        may_make.set()
        assert list(await asked) == []
        await app.service.close()

    with lab(tmp_path) as (app, _):
        asyncio.run(run(app))


def test_what_fails_in_the_background_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(chat_service, "PROVIDER_PRELOAD_DELAY_S", 0)

    async def run(app: Small) -> None:
        async def breaks() -> None:
            raise RuntimeError("no library")

        monkeypatch.setattr(app.llm.providers, "preload_first_provider", breaks)
        await app.service.open_chat()
        await until(lambda: "no library" in caplog.text)
        await app.service.close()

    with lab(tmp_path) as (app, _):
        asyncio.run(run(app))


def test_the_index_is_read_ahead_by_a_thread_that_holds_up_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(chat_service, "PROVIDER_PRELOAD_DELAY_S", 0)

    async def run(app: Small) -> None:
        await app.service.open_chat()
        await until(lambda: app.index_readers)
        await app.service.close()

    with lab(tmp_path) as (app, _):
        asyncio.run(run(app))
        assert [(one.name, one.daemon) for one in app.index_readers] == [
            (DETACHED_THREAD_NAME, True)
        ]


def test_an_answer_that_clings_is_cut_off_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # enough for a busy machine to save the answer that was cut off
    monkeypatch.setattr(chat_service, "CHAT_STOP_TIMEOUT_S", 2.0)

    async def run() -> None:
        finish = asyncio.Event()

        async def clings(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            yield TextDelta(text="Here I stay")
            while not finish.is_set():
                try:
                    await finish.wait()
                except asyncio.CancelledError:
                    continue

        stage = Stage(tmp_path, model := Scripted("first", clings, say("Never.")), config=CONFIG)
        sent = await stage.say("Hi")
        await spin(lambda: model.requests)
        try:
            await chat_service.close_chat(stage.chat)
            answer = stage.conversations.find_message(sent.conversation_id, sent.message_id or "")
            assert answer is not None
            assert answer.state == "stopped"
        finally:
            finish.set()

    asyncio.run(run())
