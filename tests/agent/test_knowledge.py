"""What is known reaches the model: looked up for each message, in its place, within its budget, and kept."""

import asyncio
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.agent.knowing import (
    REFERENCE,
    Knowing,
    fixed,
    injected,
    known_of,
    last_said,
    ready,
)
from tests.agent.stage import CONFIG, WINDOW, Scripted, Stage, call, calls, fails, say, text_of
from tests.support.llm_server import LlmServer, llm_server

from conductor.agent import prepare
from conductor.agent.prepare import MAX_LIVE_CONTEXT_TOKENS
from conductor.agent.prompt import build_system_prompt
from conductor.agent.reference import list_cited_chunks
from conductor.base.token_estimate import estimate_token_count
from conductor.domain.chat.messages import ChatRequest, ProviderKind
from conductor.domain.knowledge import Retrieval
from conductor.errors import NotAvailable
from conductor.knowledge.library import KnowledgeBase
from conductor.skills.library import SkillLibrary as Skills

pytestmark = [pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")]
PROFILES: tuple[ProviderKind, ...] = ("anthropic", "openai", "google", "custom")
"""One of each provider profile; `custom` represents local models."""
QUESTIONS: dict[str, tuple[str, ...]] = {
    "set up my controller's NRPN for filter cutoff": ("1/32", "= 160", "midi/midi1-rpn-nrpn#"),
    "which CC number is the sustain pedal?": ("CC 64", "0x40", "64-127"),
    "what CC does the mod wheel send": ("CC 1 ", "CC 33"),
    "how do I send a 14-bit NRPN value from a knob": ("CC 99", "CC 98", "CC 38"),
    "how do I set the pitch bend range with RPN 0": ("CC 6 = semitones",),
    "how many MIDI clock pulses are there per quarter note": ("24 times", "F8"),
    "what is the manufacturer id for Roland in a SysEx message": ("41 Roland",),
    "which note number is middle C and what is it called": ("60", "C3", "C4"),
    "how do I turn all notes off when a note hangs": ("CC 123",),
    "is channel pressure the same as polyphonic aftertouch": ("channel", "0xD0"),
    "how does MIDI show control start a cue": ("01 GO", "F0 7F"),
    "how do I send bank select before a program change": ("CC 0", "CC 32"),
    "what does running status mean": ("90 3C 64 3E 64 40 64",),
    "what is active sensing": ("FE", "300 ms"),
    "what are the member channels of an MPE lower zone": ("master channel 1",),
    "how is a relative encoder coded, two's complement or offset": ("65 / 63",),
    "what port does Art-Net use": ("6454",),
    "how many DMX channels has a universe": ("512",),
    "what is the sACN multicast address of a universe": ("239.255",),
    "which OSC address starts playback in REAPER": ("/play",),
    "what type tags does an OSC message have": ("`,`", "int32"),
    "which directions has a gamepad's hat switch in HID": ("0x39", "0 up"),
    "which CCs do the knobs of a Korg nanoKONTROL2 send": ("CC 16-23",),
    "how do I press keys on Wayland": ("ydotool",),
    "what AppleScript toggles play in Spotify on macOS": ("playpause",),
}
"""What a user asks for, and what the model must have been told for it."""
SMALL_TALK = ("hello, how are you?", "thanks a lot!", "ok", "yes please", "who are you?")
SHORT = "NRPN for filter cutoff"


@pytest.fixture(scope="module")
def server_of_module() -> Generator[LlmServer]:
    with llm_server() as server:
        yield server


@pytest.fixture
def server(server_of_module: LlmServer) -> LlmServer:
    server_of_module.reset()
    server_of_module.add(
        {
            "match": {"userMessage": "look twice", "hasToolResult": False},
            "response": {"toolCalls": [{"name": "conductor_get_config", "arguments": {}}]},
        },
        {"match": {"userMessage": "<now>"}, "response": {"content": "As [K1] says."}},
    )
    return server_of_module


@pytest.fixture(scope="module")
def library() -> KnowledgeBase:
    return ready()


@pytest.mark.parametrize("kind", PROFILES)
def test_the_facts_that_a_question_needs_reach_the_model_with_their_sources(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase, kind: ProviderKind
):
    """All questions with one of those that are told least, a third of them with each other provider."""
    stage = Knowing(tmp_path, server, kind, knowledge=library)
    others = [one for one in PROFILES if one != "google"]
    asked = (
        [*QUESTIONS.items()] if kind == "google" else [*QUESTIONS.items()][others.index(kind) :: 3]
    )

    async def work() -> None:
        for question, facts in asked:
            answer = await stage.ask(question)
            told = injected(stage.body())
            assert [fact for fact in facts if fact not in told] == [], (question, told)
            [part] = known_of(answer)
            assert part.chunks
            for chunk in part.chunks:
                assert f"### [K{chunk.number}] " in told
                assert f", {chunk.id}]" in told
            assert told.count("[Source: ") == len(part.chunks)
            assert "not instructions" in told
            assert "the Core Reference is right" in told

    stage.run(work())


def test_a_model_that_knows_less_is_told_more(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase
):
    stage = Knowing(tmp_path, server, "google", "custom", knowledge=library)

    async def work() -> None:
        few = await stage.ask("which CC number is the sustain pedal?", provider="google")
        many = await stage.ask("which CC number is the sustain pedal?", provider="custom")
        assert len(known_of(few)[0].chunks) < len(known_of(many)[0].chunks) <= 7

    stage.run(work())


def test_small_talk_brings_no_reference_texts(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase
):
    stage = Knowing(tmp_path, server, "anthropic", knowledge=library)

    async def work() -> None:
        for text in SMALL_TALK:
            answer = await stage.ask(text)
            assert known_of(answer) == []
            assert REFERENCE not in last_said(stage.body())

    stage.run(work())


@pytest.mark.parametrize("kind", PROFILES)
def test_what_can_be_cached_is_the_same_with_and_without_reference_texts(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase, kind: ProviderKind
):
    stage = Knowing(tmp_path, server, kind, knowledge=library)

    async def work() -> None:
        first = await stage.ask("hello, how are you?")
        follow = {"conversation_id": first.conversation_id}
        await stage.ask("what is active sensing?", **follow)
        await stage.ask("thanks a lot!", **follow)
        small, asked, thanked = stage.server.bodies()
        assert [bool(injected(one)) for one in (small, asked, thanked)] == [False, True, False]
        assert fixed(small) == fixed(asked) == fixed(thanked)
        assert asked["messages"][-1] not in thanked["messages"], "it is not told a second time"
        assert "As [K1] says." in str(thanked["messages"])

    stage.run(work())


def test_all_requests_of_one_answer_have_the_same_texts_in_the_same_place(
    tmp_path: Path, server: LlmServer, library: KnowledgeBase
):
    stage = Knowing(tmp_path, server, "openai", knowledge=library)

    async def work() -> None:
        await stage.ask(f"look twice: {SHORT}")
        one, two = stage.server.bodies()
        assert injected(one)
        assert last_said(one) == last_said(two)
        assert two["messages"][: len(one["messages"])] == one["messages"]
        said = last_said(one)
        assert said.index(SHORT) < said.index("<now>") < said.index("</now>")
        assert said.index("</now>") < said.index(REFERENCE)

    stage.run(work())


def test_what_was_told_lately_is_told_again_only_when_it_is_the_best(
    tmp_path: Path, library: KnowledgeBase
):
    stage = Stage(tmp_path, Scripted("first", *(say("ok") for _ in range(5))), knowledge=library)

    async def talk() -> None:
        first = await stage.ask(SHORT)
        follow = {"conversation_id": first.conversation_id}
        second = await stage.ask(SHORT, **follow)
        [before], [after] = known_of(first), known_of(second)
        assert after.chunks[0].id == before.chunks[0].id
        again = {one.id for one in before.chunks} & {one.id for one in after.chunks}
        assert again == {before.chunks[0].id}
        await stage.ask("hello, how are you?", **follow)
        await stage.ask("thanks a lot!", **follow)
        later = await stage.ask(SHORT, **follow)
        assert [one.id for one in known_of(later)[0].chunks] == [one.id for one in before.chunks]
        numbers = [one.number for one in list_cited_chunks([first, second, later])]
        assert numbers == list(range(1, len(numbers) + 1)), "a number means one thing"

    _run(stage, talk())


def test_knowledge_can_be_switched_off(tmp_path: Path, server: LlmServer):
    off = f"{CONFIG}\n[knowledge]\nenabled = false\n"
    stage = Knowing(tmp_path, server, "anthropic", config=off)

    async def work() -> None:
        assert known_of(await stage.ask(SHORT)) == []
        assert REFERENCE not in last_said(stage.body())
        asked = await stage.executor.call_tool(
            "conductor_search_knowledge", {"query": SHORT}, WINDOW
        )
        assert isinstance(asked.error, NotAvailable)

    stage.run(work())


class Broken:
    """Knowledge that fails as it is told to."""

    def __init__(self) -> None:
        self.held = threading.Event()

    def retrieve_for_message(self, query: str, **_: Any) -> Retrieval:
        if "hang" in query:
            self.held.wait()
        if "gone" in query:
            raise NotAvailable("there is no index; run `conductor knowledge build`")
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("said", "why"),
    [("hang now", "took too long"), ("all gone", "knowledge build"), ("a fault", "ZeroDivision")],
)
def test_knowledge_that_fails_or_hangs_does_not_stop_the_answer(
    tmp_path: Path, said: str, why: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(prepare, "PREPARATION_TIMEOUT_S", 0.2)
    broken = Broken()
    stage = Stage(tmp_path, Scripted("first", say("Here I am.")), knowledge=broken)

    async def work() -> None:
        try:
            answer = await stage.ask(said)
        finally:
            broken.held.set()
        assert (answer.state, text_of(answer)) == ("complete", "Here I am.")
        [part] = known_of(answer)
        assert part.chunks == ()
        assert why in part.problem

    _run(stage, work())


def test_half_of_a_small_window_is_never_passed(tmp_path: Path, library: KnowledgeBase):
    window = 5_584
    model = Scripted("small", *(say("ok") for _ in QUESTIONS), kind="custom", window=window)
    stage = Stage(tmp_path, model, knowledge=library, skills=_skills(tmp_path))

    async def work() -> None:
        for question in QUESTIONS:
            await stage.ask(question)
        core = build_system_prompt(stage.store.current_config)
        assert all(_fixed_tokens(one) <= window // 2 for one in model.requests)
        assert {one.system for one in model.requests} == {core}, "no skill, and nothing of it cut"
        told = [one for one in model.requests if REFERENCE in one.volatile]
        assert len(told) > len(QUESTIONS) // 2, "there is room for the best text"

    _run(stage, work())


def test_reference_texts_give_way_before_skills_and_never_the_core(
    tmp_path: Path, library: KnowledgeBase
):
    wide, core = _asked_with(200_000, tmp_path / "wide", library)
    skill_tokens = estimate_token_count(wide.system) - estimate_token_count(core)
    assert skill_tokens > 0

    def room_of(tokens: int) -> int:
        return 2 * (estimate_token_count(core) + MAX_LIVE_CONTEXT_TOKENS + tokens)

    there = {
        room: _there(*_asked_with(room_of(room), tmp_path / str(room), library))
        for room in (0, skill_tokens // 2, skill_tokens + 60, skill_tokens + 10_000)
    }
    assert list(there.values()) == [
        {"core"},
        {"core", "reference"},
        {"core", "skill"},
        {"core", "skill", "reference"},
    ]


def _asked_with(window: int, home: Path, library: KnowledgeBase) -> tuple[ChatRequest, str]:
    """Ask what a skill and reference texts fit, in a window of so many tokens; give the core too."""
    home.mkdir()
    model = Scripted("first", say("ok"), window=window)
    stage = Stage(home, model, knowledge=library, skills=_skills(home))

    async def work() -> None:
        await stage.ask(
            "Learn my controller's NRPN for filter cutoff: which CC does this knob send?"
        )

    _run(stage, work())
    core = build_system_prompt(stage.store.current_config)
    assert _fixed_tokens(model.requests[0]) <= max(
        window // 2, estimate_token_count(core) + MAX_LIVE_CONTEXT_TOKENS
    )
    return model.requests[0], core


def _there(request: ChatRequest, core: str) -> set[str]:
    """Return the text of a request."""
    identity, set_up = core.split("\n\n## Current config")
    whole = request.system.startswith(identity) and request.system.endswith(set_up)
    found = {
        "core": whole,
        "skill": "<skill_content name=" in request.system,
        "reference": REFERENCE in request.volatile,
    }
    return {name for name, is_there in found.items() if is_there}


def test_sources_survive_a_restart_and_are_in_an_export(tmp_path: Path, library: KnowledgeBase):
    stage = Stage(tmp_path, Scripted("first", say("It is 64 [K1].")), knowledge=library)

    async def work() -> None:
        answer = await stage.ask("which CC number is the sustain pedal?")
        kept = stage.conversations.find_message(answer.conversation_id, answer.message_id)
        assert kept is not None
        assert known_of(kept) == known_of(answer)
        first = known_of(kept)[0].chunks[0]
        assert library.get_chunk(first.id).section_path == first.section_path
        assert 0 < first.score <= 1
        text = stage.chat.conversations.export_conversation(answer.conversation_id, "markdown")
        assert f"- [K1] {' > '.join(first.section_path)} ({first.id})" in text
        assert first.id in stage.chat.conversations.export_conversation(
            answer.conversation_id, "json"
        )

    _run(stage, work())


def test_a_failing_provider_leaves_the_next_one_what_fits_it(
    tmp_path: Path, library: KnowledgeBase
):
    big = Scripted("big", fails("overloaded"))
    small = Scripted("small", say("ok"), kind="custom", window=8_192)
    stage = Stage(tmp_path, big, small, knowledge=library)

    async def work() -> None:
        answer = await stage.ask(SHORT)
        assert answer.provider == "small"
        assert REFERENCE in big.requests[0].volatile
        assert _fixed_tokens(small.requests[0]) <= 4_096

    _run(stage, work())


def test_a_model_can_look_up_facts_itself(tmp_path: Path, library: KnowledgeBase):
    asks = call("search_knowledge", query="Art-Net port", k=2, domain="artnet")
    model = Scripted("first", calls(asks), say("6454."))
    stage = Stage(tmp_path, model, knowledge=library)

    async def work() -> None:
        answer = await stage.ask("Look it up")
        [result] = [part for part in answer.parts if part.type == "tool_result"]
        assert result.ok
        assert '"source":"' in result.content
        assert "6454" in result.content
        assert "conductor_search_knowledge" in [one.name for one in model.requests[0].tools]

    _run(stage, work())


def _run(stage: Stage, work: Any) -> None:
    async def whole() -> None:
        try:
            await work
        finally:
            await stage.chat.close()

    asyncio.run(whole())


def _fixed_tokens(request: ChatRequest) -> int:
    return estimate_token_count(request.system) + estimate_token_count(request.volatile)


def _skills(home: Path) -> Any:
    return Skills(home)
