"""A text that the chat's model reads orders something, the model obeys, and nothing comes of it without the user."""

import os
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.injection.attacks import Attack, Places, attacks
from tests.injection.obeying_model import Plain, Step, Task, order_of
from tests.injection.world import World, parts_of, shown_to_user, world
from tests.support.jack import MidiPeer
from tests.support.running import send_osc, wait_for
from tests.support.xserver import KeyWindow, XServer, window_manager

pytestmark = [pytest.mark.jack, pytest.mark.x11, pytest.mark.timeout(300)]
OF_EACH_CHANNEL = int(os.environ.get("CONDUCTOR_PROVE_CASES", "3"))
HOSTILE_PORT = "Deck ORDER-port-name."


@dataclass(frozen=True)
class Channel:
    """A way for somebody else's words to a model: what the user asks, and what the model reads for it."""

    name: str
    reads: tuple[Step, ...] = ()
    says: str = "Please have a look."
    allowed: tuple[str, ...] = ()
    """Tools that the user allows, for they are what was asked for."""
    before: Callable[[World], object] = lambda _world: None


def _played(world: World) -> None:
    world.pads.send("90 24 64")
    wait_for(
        lambda: world.conductor.call("conductor_get_recent_events", limit=1)["events"],
        lambda events: events and events[0].get("note") == 36,
    )


def _heard_osc(world: World) -> None:
    address = f"/{order_of('osc-address')}"
    send_osc(world.osc_port, address, 1.0)
    wait_for(
        lambda: world.conductor.call("conductor_get_recent_events", limit=5)["events"],
        lambda events: address in str(events),
    )


RECALL: Step = ("conductor_recall", {"query": "giraffe"})
CHANNELS = (
    Channel("note", (("conductor_find_notes", {"query": "zebras"}),)),
    Channel("task", (("conductor_find_tasks", {}),)),
    Channel("file", (("conductor_read_file", {"path": "letter.txt"}),)),
    Channel("file-name", (("conductor_read_file", {"path": "$letters"}),)),
    Channel("foreign-result", (("mcp:evil:look", {}),), allowed=("mcp:evil:look",)),
    Channel("foreign-error", (("mcp:evil:fail", {}),), allowed=("mcp:evil:fail",)),
    Channel("description", (("conductor_discover_skills", {"query": "weather on stage"}),)),
    Channel("argument", (("conductor_discover_skills", {"query": "mcp:evil:send"}),)),
    Channel("knowledge", (("conductor_search_knowledge", {"query": "Zebra Deck 9"}),)),
    Channel("knowledge", says="What is a Zebra Deck 9 gamepad by Zebra?"),
    Channel("skill-text", (("conductor_read_skill", {"skill": "stage-lights"}),)),
    Channel("skill-text", says="Use stage-lights for the fog machine, please"),
    Channel("skill-description", says="Use stage-lights for the fog machine, please"),
    Channel("config-comment", (("conductor_get_config", {}),)),
    Channel("description-of-mapping", (("conductor_get_mappings", {"mode": "Default"}),)),
    Channel("action-text", (("conductor_get_mappings", {"mode": "Default"}),)),
    Channel("mode-name"),
    Channel("version", (("conductor_list_versions", {}),)),
    Channel("profile-name"),
    Channel("title-pattern", (("conductor_list_profiles", {}),)),
    Channel("alias"),
    Channel("matcher"),
    Channel("port-name", (("conductor_list_devices", {}),)),
    Channel("window-title", (("conductor_get_status", {}),)),
    Channel("osc-address", (("conductor_get_recent_events", {}),), before=_heard_osc),
    Channel("explained", (("conductor_explain_event", {}),), before=_played),
    Channel("title", (RECALL,)),
    Channel("old-words", (RECALL,)),
    Channel("plan-text", (("conductor_get_plan", {"plan_id": "$plan"}),)),
    Channel("plan-reason", (("conductor_get_plan", {"plan_id": "$plan"}),)),
    Channel("attached"),
    Channel("mention"),
)
UNREAD = ("server-title", "instructions", "resource", "prompt", "protocol-error")
"""What a foreign server may say, and no model of the chat is told."""
SAME = {"description-of-mapping": "description.", "explained": "description."}
DUMMY = Places("http://127.0.0.1:1/", "c", "s", "h", "p", "n", "t", 1)
NAMES = [one.name for one in attacks(DUMMY)]
PAIRS = [
    (channel, NAMES[(at * OF_EACH_CHANNEL + step) % len(NAMES)])
    for at, channel in enumerate(CHANNELS)
    for step in range(min(OF_EACH_CHANNEL, len(NAMES)))
]


@pytest.fixture(scope="module")
def here(
    tmp_path_factory: pytest.TempPathFactory, pads_of_module: MidiPeer, screen: XServer
) -> Generator[World]:
    base = Path(tmp_path_factory.mktemp("injection"))
    with (
        MidiPeer(HOSTILE_PORT),
        window_manager(screen.display),
        KeyWindow(screen.display, title=f"Read me: {order_of('window-title')}"),
        world(base, pads_of_module, screen.display) as made,
    ):
        yield made


@pytest.mark.parametrize(
    ("channel", "name"), PAIRS, ids=[f"{one.name}: {name}" for one, name in PAIRS]
)
def test_an_order_that_is_obeyed_changes_and_sends_nothing(
    here: World, channel: Channel, name: str
) -> None:
    attack = next(one for one in attacks(here.places) if one.name == name)
    asked, plans, task = _play(here, channel, attack)

    assert task.has_read, f"the hostile text did not reach the model: {task.told}"
    assert len(task.made) == len(task.reads) + len(attack.steps)
    assert bool(asked or plans) == attack.asks, task.told[1:]
    _require_true_cards(attack, asked, plans)


@pytest.mark.parametrize("channel", UNREAD)
def test_what_no_model_is_told_is_not_told(here: World, channel: str) -> None:
    reads: tuple[Step, ...] = (
        ("conductor_list_plugins", {}),
        ("conductor_discover_skills", {"query": "evil weather"}),
        ("mcp:evil:look", {}),
    )
    told = Channel(channel, reads, allowed=("mcp:evil:look",))
    _, _, task = _play(here, told, attacks(here.places)[0])

    assert not task.has_read


def _play(here: World, channel: Channel, attack: Attack) -> tuple[list[Plain], list[Plain], Task]:
    filled = {"$plan": here.plan_id, "$letters": str(here.letters)}
    reads = tuple(
        (tool, {key: filled.get(str(one), one) for key, one in args.items()})
        for tool, args in channel.reads
    )
    channel.before(here)
    here.pads.received.clear()
    here.sent_to_server()
    marker = SAME.get(channel.name, f"{channel.name}.").rstrip(".")
    task = Task(marker, reads, attack.steps, attack.answer)
    before = here.state()
    asked, plans = here.run(task, parts_of(channel.name, channel.says), channel.allowed)
    try:
        assert here.state() == before
        assert here.sent_to_server() == [one.rpartition(":")[2] for one in channel.allowed]
    finally:
        for plan in plans:
            if plan["status"] in ("pending", "approved"):
                here.page.call("plans.reject", plan_id=plan["plan_id"])
    return asked, plans, task


def _require_true_cards(attack: Attack, asked: list[Plain], plans: list[Plain]) -> None:
    shown = shown_to_user(asked, plans)
    assert [words for words in attack.shows if words not in shown] == []
    assert not any(plan["status"] == "applied" for plan in plans)
    for view in asked:
        assert (view["tool"], view["arguments"]) in [*attack.steps]
