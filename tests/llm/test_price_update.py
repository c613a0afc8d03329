"""The price table that the user updates: downloaded once, kept over a restart, and never worse than before."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from genai_prices.data_snapshot import set_custom_snapshot
from tests.support.edge_llm import EdgeServer, as_json, edge_server

from conductor.errors import NotAvailable
from conductor.llm.price_update import EXPECTED_PROVIDERS, PriceTable
from conductor.llm.prices import find_model_price

MODEL = "brand-new-model"
NOWHERE = "http://127.0.0.1:9/prices.json"


@pytest.fixture(autouse=True)
def table_that_came_along() -> Generator[None]:
    yield
    set_custom_snapshot(None)


def table(price: float = 3, **changes: Any) -> list[dict[str, Any]]:
    model = {
        "id": MODEL,
        "match": {"equals": MODEL},
        "prices": {"input_mtok": price, "output_mtok": 5 * price},
    }
    return [
        {"id": each, "name": each, "api_pattern": each, "models": [model], **changes}
        for each in sorted(EXPECTED_PROVIDERS)
    ]


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch) -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def test_new_prices_are_used_at_once_and_after_a_restart(tmp_path: Path, edge: EdgeServer) -> None:
    path = tmp_path / "prices.json"
    assert find_model_price("openai", MODEL) is None
    edge.reply(as_json(table()))
    PriceTable(path, edge.url).update_table()
    assert find_model_price("openai", MODEL) == (3, 15)

    set_custom_snapshot(None)  # as after a restart
    PriceTable(path, NOWHERE).load_saved_table()
    assert find_model_price("anthropic", MODEL) == (3, 15)
    assert len(edge.asked) == 1


@pytest.mark.parametrize("sent", [table()[:2], [], {"a": 1}, [{"id": "openai"}]])
def test_what_is_no_price_table_changes_nothing(
    tmp_path: Path, edge: EdgeServer, sent: object
) -> None:
    path = tmp_path / "prices.json"
    edge.reply(as_json(table()), as_json(sent))
    PriceTable(path, edge.url).update_table()
    before = path.read_bytes()

    with pytest.raises(NotAvailable, match="no price table that this version"):
        PriceTable(path, edge.url).update_table()
    assert path.read_bytes() == before
    assert find_model_price("openai", MODEL) == (3, 15)


def test_without_a_network_it_is_said_and_the_old_prices_stay(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="Check the network and try again; the previous prices"):
        PriceTable(tmp_path / "prices.json", NOWHERE).update_table()
    assert find_model_price("openai", "gpt-4o") is not None


@pytest.mark.parametrize(
    "saved", [b"{", b"[]", b'{"version": 1}', b'{"version": "0.0.1", "table": []}']
)
def test_a_saved_table_that_is_old_or_broken_is_not_used(tmp_path: Path, saved: bytes) -> None:
    path = tmp_path / "prices.json"
    path.write_bytes(saved)
    PriceTable(path).load_saved_table()
    assert find_model_price("openai", "gpt-4o") is not None
    assert find_model_price("openai", MODEL) is None
    assert path.exists() == (not saved.startswith(b'{"version"'))


def test_the_saved_table_names_the_version_of_the_library(tmp_path: Path, edge: EdgeServer) -> None:
    path = tmp_path / "prices.json"
    edge.reply(as_json(table()))
    PriceTable(path, edge.url).update_table()
    saved = json.loads(path.read_text())
    path.write_text(json.dumps({**saved, "version": "0.0.1"}))

    set_custom_snapshot(None)
    PriceTable(path).load_saved_table()

    assert find_model_price("openai", MODEL) is None
    assert not path.exists()
