"""A turn: what the user says becomes requests, tool calls and one whole answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from tests.agent.stage import (
    COPY,
    Scripted,
    Stage,
    call,
    calls,
    get_notes,
    plans_of,
    results_of,
    say,
    spin,
    text_of,
    told_to,
)

from conductor.domain.chat.messages import (
    ChatRequest,
    StreamEvent,
    TextDelta,
    ToolCallPart,
)


def test_an_answer_streams_in_and_is_kept(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first", say("Hello there, friend.")))
        answer = await stage.ask("Hi")
        assert (answer.state, text_of(answer)) == ("complete", "Hello there, friend.")
        assert (answer.provider, answer.model) == ("first", "first-model")
        assert answer.usage.requests == 1
        kinds = [news.type for news in stage.news]
        assert kinds.index("message") < kinds.index("part") < kinds.index("delta")
        conversation = stage.chat.conversations.list_conversations()[0]
        assert (conversation.title, conversation.messages) == ("Hi", 2)
        assert model.closed == 1

    asyncio.run(run())


def test_what_the_user_says_is_on_disk_before_the_request(tmp_path: Path):
    kept: list[list[str]] = []

    async def run() -> None:
        async def look(request: ChatRequest) -> AsyncIterator[StreamEvent]:
            rows = stage.conversations.list_messages(request.messages[-1].conversation_id)
            kept.append([f"{row.role} {row.state}" for row in rows])
            for event in say("Yes."):
                yield event

        stage = Stage(tmp_path, Scripted("first", look))
        await stage.ask("Is it?")

    asyncio.run(run())
    assert kept == [["user complete", "assistant streaming"]]


def test_a_wish_becomes_a_plan_that_waits_for_the_user(tmp_path: Path):
    async def run() -> None:
        model = Scripted(
            "first",
            calls(
                call("get_mappings", mode="Default"), call("create_mapping", **COPY), text="I look."
            ),
            say("I prepared it. Click Apply."),
            say("It is applied."),
        )
        stage = Stage(tmp_path, model)
        answer = await stage.ask("Map pad 36 to copy")
        assert [part.ok for part in results_of(answer)] == [True, True]
        [plan_id] = plans_of(answer)
        assert stage.plans.get_plan(plan_id).status == "pending"
        assert stage.plans.get_plan(plan_id).requested_by.client == "first/first-model"
        assert len(stage.store.current_config.modes[0].mappings) == 1
        assert len(model.requests) == 2
        assert "untrusted" in told_to(model.requests[1])
        stage.apply(answer)
        assert len(stage.store.current_config.modes[0].mappings) == 2
        await stage.ask("And?", conversation_id=answer.conversation_id)
        assert "applied" in model.requests[2].volatile
        assert plan_id[:8] in model.requests[2].volatile

    asyncio.run(run())


def test_every_call_gets_one_result_whatever_is_wrong_with_it(tmp_path: Path):
    bad = ToolCallPart(call_id="m1", tool="conductor_get_status", malformed='{"a": ')
    unknown = ToolCallPart(call_id="u1", tool="launch_missiles")

    async def run() -> None:
        model = Scripted(
            "first",
            calls(bad, unknown, call("create_mapping", mode="Nowhere", trigger=1)),
            say("Sorry."),
        )
        stage = Stage(tmp_path, model)
        answer = await stage.ask("Go")
        results = results_of(answer)
        assert [part.ok for part in results] == [False, False, False]
        assert "not a JSON object" in results[0].content
        assert "Method not found" in results[1].content
        assert "Next: " in results[2].content
        assert answer.state == "complete"

    asyncio.run(run())


def test_reads_run_side_by_side_and_changes_one_after_the_other(tmp_path: Path):
    begun: list[str] = []

    async def run() -> None:
        model = Scripted(
            "first",
            calls(
                call("get_status", "a"),
                call("list_modes", "b"),
                call("create_mode", "c", name="A"),
                call("create_mode", "d", name="B"),
            ),
            say("Done."),
        )
        stage = Stage(tmp_path, model)
        both = asyncio.Barrier(2)

        async def gate(name: str) -> None:
            begun.append(name)
            if not name.endswith("create_mode"):
                await both.wait()
            else:
                assert len(stage.plans.list_plans()) == begun.count("conductor_create_mode") - 1

        stage.tool_gate = gate
        answer = await stage.ask("Look and make two modes")
        assert len(results_of(answer)) == 4
        assert len(plans_of(answer)) == 2

    asyncio.run(run())


def test_the_very_same_call_is_made_three_times_in_a_row_and_no_more(tmp_path: Path):
    async def run() -> None:
        same = [calls(call("list_devices", f"c{n}")) for n in range(4)]
        other = calls(call("list_modes", "other"))
        again = calls(call("list_devices", "again"))
        stage = Stage(tmp_path, Scripted("first", *same, other, again, say("Done.")))
        answer = await stage.ask("Look")
        made = [(one.call_id, one.ok) for one in results_of(answer)]
        assert made == [
            *(("c0", True), ("c1", True), ("c2", True), ("c3", False)),
            *(("other", True), ("again", True)),
        ]
        refused = results_of(answer)[3].content
        assert "3 times in a row" in refused
        assert "tell the user what is missing" in refused

    asyncio.run(run())


def test_a_model_that_never_stops_calling_is_paused_and_goes_on_when_told(tmp_path: Path):
    async def run() -> None:
        model = Scripted("first", *[calls(call("list_devices", f"c{n}")) for n in range(12)])
        stage = Stage(tmp_path, model)
        answer = await stage.ask("Loop")
        assert (answer.state, len(model.requests), get_notes(answer)) == (
            "paused",
            12,
            ["found", "steps"],
        )
        assert len(results_of(answer)) == 12
        model.answers.append(say("At last."))
        answer = await stage.answered(await stage.chat.resume_answer(answer.message_id))
        assert (answer.state, text_of(answer)) == ("complete", "At last.")
        assert answer.usage.requests == 13

    asyncio.run(run())


def test_stop_keeps_what_came_and_nothing_more_is_requested(tmp_path: Path):
    async def run() -> None:
        async def slowly(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            yield TextDelta(text="The first ")
            yield TextDelta(text="words")
            await asyncio.Event().wait()

        stage = Stage(tmp_path, model := Scripted("first", slowly))
        sent = await stage.say("Tell me a story")
        await stage.until(lambda: "delta" in [news.type for news in stage.news])
        queued = await stage.say("And another", conversation_id=sent.conversation_id)
        assert queued.queued
        assert stage.chat.conversations.open_conversation(sent.conversation_id)[2].queued == (
            "And another",
        )
        await stage.chat.stop_answer(sent.conversation_id)
        answer = await stage.answered(sent)
        assert (answer.state, text_of(answer)) == ("stopped", "The first words")
        assert get_notes(answer) == ["stopped"]
        assert (len(model.requests), model.closed) == (1, 1)
        assert stage.chat.conversations.open_conversation(sent.conversation_id)[2].queued == ()

    asyncio.run(run())


def test_stop_during_a_tool_call_answers_it_for_the_model(tmp_path: Path):
    async def run() -> None:
        model = Scripted("first", calls(call("create_mode", "x", name="A")), say("I see."))
        stage = Stage(tmp_path, model)
        running = asyncio.Event()

        async def gate(_: str) -> None:
            running.set()
            await asyncio.Event().wait()

        stage.tool_gate = gate
        sent = await stage.say("Make a mode")
        await running.wait()
        await stage.chat.stop_answer(sent.conversation_id)
        answer = await stage.answered(sent)
        assert [(part.call_id, part.ok, part.content) for part in results_of(answer)] == [
            ("x", False, "stopped by the user")
        ]
        await stage.ask("What happened?", conversation_id=sent.conversation_id)
        assert "stopped by the user" in told_to(model.requests[1])

    asyncio.run(run())


def test_a_second_stop_ends_what_does_not_end_by_itself(tmp_path: Path):
    async def run() -> None:
        async def clings(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            yield TextDelta(text="Never ")
            try:
                await asyncio.Event().wait()
            finally:
                await hold.wait()

        hold = asyncio.Event()
        stage = Stage(tmp_path, Scripted("first", clings))
        sent = await stage.say("Go")
        await stage.until(lambda: "part" in [news.type for news in stage.news])
        first = asyncio.create_task(stage.chat.stop_answer(sent.conversation_id))
        await asyncio.sleep(0)
        assert not first.done()
        await stage.chat.stop_answer(sent.conversation_id)
        assert (await stage.answered(sent)).state == "stopped"
        await first
        hold.set()

    asyncio.run(run())


def test_a_stop_that_comes_before_the_answer_has_begun_counts(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first", say("One.")))
        first = await stage.ask("1")
        saying = asyncio.create_task(stage.say("2", conversation_id=first.conversation_id))
        await spin(
            lambda: (
                stage.chat.conversations.open_conversation(first.conversation_id, limit=1)[
                    2
                ].running
            )
        )
        await stage.chat.stop_answer(first.conversation_id)
        assert (await stage.answered(await saying)).state == "stopped"
        assert len(model.requests) == 1

    asyncio.run(run())


def test_a_fault_of_ours_ends_the_answer_and_not_the_conversation(tmp_path: Path):
    async def run() -> None:
        async def breaks(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            yield TextDelta(text="Half")
            raise ZeroDivisionError

        stage = Stage(tmp_path, Scripted("first", breaks, say("Fine.")))
        answer = await stage.ask("1")
        assert answer.failure is not None
        assert (answer.failure.kind, text_of(answer)) == ("internal", "Half")
        assert text_of(await stage.ask("2", conversation_id=answer.conversation_id)) == "Fine."

    asyncio.run(run())


def test_messages_wait_in_order_while_one_is_answered(tmp_path: Path):
    async def run() -> None:
        may_answer = asyncio.Event()

        async def answers_later(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            await may_answer.wait()
            for event in say("One."):
                yield event

        model = Scripted("first", answers_later, say("Two."), say("Three."))
        stage = Stage(tmp_path, model)
        sent = await stage.say("1")
        for text in ("2", "x", "3"):
            assert (await stage.say(text, conversation_id=sent.conversation_id)).queued
        await stage.chat.unqueue_message(sent.conversation_id, 1)
        may_answer.set()
        await stage.answered(sent)
        branch = stage.conversations.list_branch_messages(sent.conversation_id)
        assert [text_of(one) for one in branch] == ["1", "One.", "2", "Two.", "3", "Three."]

    asyncio.run(run())
