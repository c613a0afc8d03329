"""The gate checks the scopes of agents on other computers itself, whatever the port has let through."""

from typing import get_args

import pytest
from tests.tools.gate_world import World, registry

from conductor.domain.plan import Requester
from conductor.domain.remote_access import REMOTE_SCOPES, RemoteScope
from conductor.tools.approval.remote_scopes import SCOPE_BY_TIER, find_required_scope
from conductor.tools.registry import Tier

TOOL_BY_SCOPE: dict[RemoteScope, str] = {
    "look": "look",
    "operate": "poke",
    "propose": "change",
    "hardware": "send",
}


def remote(*scopes: RemoteScope) -> Requester:
    return Requester(caller="remote", client="Agent", program="grant 1", scopes=scopes)


def test_every_tier_needs_a_scope_and_every_scope_is_needed():
    assert set(SCOPE_BY_TIER) == set(get_args(Tier))
    assert set(SCOPE_BY_TIER.values()) == set(REMOTE_SCOPES)


@pytest.mark.parametrize("scope", TOOL_BY_SCOPE)
def test_a_call_needs_its_scope(scope: RemoteScope):
    name = TOOL_BY_SCOPE[scope]
    arguments = {"number": 1} if name == "look" else {}
    assert World().code(name, remote(scope), **arguments) == "ok"
    left: list[RemoteScope] = [*REMOTE_SCOPES]
    left.remove(scope)
    others = remote(*left)
    world = World()
    error = world.call(name, others, **arguments).error
    assert error is not None
    assert (error.code, f"needs the scope `{scope}`" in str(error)) == ("not_allowed", True)
    assert world.entries == [(f"conductor_{name}", "not_allowed")]


def test_without_scopes_nothing_is_allowed():
    assert World().code("look", Requester(caller="remote"), number=1) == "not_allowed"


def test_what_deletes_and_what_applies_counts_as_a_proposal():
    for name in ("wipe", "apply"):
        assert find_required_scope(registry, f"conductor_{name}") == "propose"
    assert find_required_scope(registry, "conductor_old_look") == "look"
    assert find_required_scope(registry, "conductor_nothing") is None


def test_a_batch_needs_the_scopes_of_what_is_inside():
    inside = {"tools": ("conductor_send",)}
    assert World().code("change", remote("propose", "hardware"), **inside) == "ok"
    assert World().code("change", remote("propose"), **inside) == "not_allowed"


def test_other_callers_are_not_limited_by_scopes():
    assert World().code("poke", Requester(caller="mcp", pid=7)) == "ok"
