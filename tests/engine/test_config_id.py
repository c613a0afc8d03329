"""A config's id depends only on what the engine uses."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from tests.engine.streams import configs
from tests.support.simulate import config

from conductor.config.parse import parse_config
from conductor.domain.config import Config
from conductor.domain.engine_protocol import ConfigComplete
from conductor.engine.config_transfer import (
    ConfigAssembler,
    build_config_messages,
    compute_config_id,
)

PAD = "Note note=36 -> a"


def changed(**settings: Any) -> Config:
    return config(PAD, modes={"A": ""}, settings={"engine": settings})


def test_equal_configs_have_one_id():
    assert compute_config_id(config(PAD)) == compute_config_id(config(PAD))


def test_whatever_the_engine_sees_counts():
    base = changed()
    others = [
        config("Note note=36 -> b", modes={"A": ""}),
        config(PAD, modes={"B": ""}),
        config("", modes={"A": PAD}),
        changed(virtual_output=""),
        changed(allow_shell=True),
    ]
    assert len({compute_config_id(one) for one in [base, *others]}) == 6


def test_comments_order_of_tables_and_what_the_engine_does_not_see_do_not_count():
    mode = '[[modes]]\nname = "A"\n'
    port = "[settings.engine]\nosc_port = 9000\n"
    limit = "[llm.mcp]\nenabled = false\n"
    texts = [mode + port, "# mine\n" + port + mode, mode + port + limit]
    assert len({compute_config_id(parse_config(text)) for text in texts}) == 1


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs)
def test_the_last_message_of_a_config_carries_its_id(what: Config):
    messages = list(build_config_messages(what, 7))
    last = messages[-1]
    assert isinstance(last, ConfigComplete)
    assert last.config_id == compute_config_id(what)
    assembler = ConfigAssembler()
    assert [assembler.add_message(message) for message in messages][-1] is not None
