"""`conductor eval`: a model is measured over the wire, within a limit, and only when the user agrees."""

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.support.llm_server import LlmServer, llm_server
from tests.support.running import Finished, conductor, conductor_environment

from conductor.cli.eval import format_summary
from conductor.evaluation.case import Case, Step, choose_cases, load_cases
from conductor.evaluation.score import Result, summarize_results

pytestmark = pytest.mark.timeout(300)
CONFIG = """
[llm.providers.mock]
kind = "{kind}"
model = "{model}"
base_url = "{url}"
api_key_env = "MOCK_KEY"
"""
PLAYED = ("note-to-keys", "tap-or-hold", "which-action", "what-does-it-do")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[LlmServer]:
    script = tmp_path_factory.mktemp("script") / "transcripts.json"
    scripted = [one for case in choose_cases("core", PLAYED) for one in fixtures(case)]
    script.write_text(json.dumps({"fixtures": scripted}))
    with llm_server(script) as server:
        yield server


def run_case(case: str, environment: dict[str, str]) -> Finished:
    """Run one case, with a dollar to spend."""
    what = ("--provider", "mock", "--max-cost", "1", "--yes", "--case", case)
    return conductor("eval", "run", *what, environment=environment)


def fixtures(case: Case) -> list[dict[str, Any]]:
    """Return a case's good transcript as scripted answers."""
    found: list[dict[str, Any]] = []
    for turn, steps in zip(case.turns, case.solution, strict=True):
        whole: Sequence[Step] = (
            steps if isinstance(steps[-1], str) else [*steps, "Here is the plan."]
        )
        for number, step in enumerate(whole):
            match = {"userMessage": turn.say, "hasToolResult": number > 0}
            found.append({"match": match, "response": response(step)})
    return found


def response(step: Step) -> dict[str, Any]:
    if isinstance(step, str):
        return {"content": step}
    calls = [
        {"id": f"call_{name}", "name": f"conductor_{name}", "arguments": arguments}
        for name, arguments in step.items()
    ]
    return {"toolCalls": calls}


@pytest.fixture
def environment(tmp_path: Path, server: LlmServer) -> dict[str, str]:
    return at_home(tmp_path, server, "openai", "gpt-6-luna")


def at_home(home: Path, server: LlmServer, kind: str, model: str) -> dict[str, str]:
    text = CONFIG.format(kind=kind, model=model, url=server.base_url(kind))
    (home / "config.toml").write_text(text)
    return conductor_environment(home, {"MOCK_KEY": "sk-mock-eval-1234567890"})


def test_cases_are_listed_with_what_they_take(environment: dict[str, str]) -> None:
    done = conductor("eval", "list", environment=environment)
    plain = json.loads(conductor("eval", "list", "--json", environment=environment).stdout)

    assert "note-to-keys" in done.stdout
    assert f"{len(load_cases())} cases; one run" in done.stdout
    assert len(plain["cases"]) == len(load_cases())


@pytest.mark.parametrize(
    ("kind", "model"), [("openai", "gpt-6-luna"), ("anthropic", "claude-haiku-5-5")]
)
def test_a_good_model_passes_over_the_wire(
    tmp_path: Path, server: LlmServer, kind: str, model: str
) -> None:
    environment = at_home(tmp_path, server, kind, model)
    report = tmp_path / "report.json"
    cases = [word for case in PLAYED for word in ("--case", case)]
    asked = ("eval", "run", "--provider", "mock", "--max-cost", "2", "--yes", "--json", str(report))

    done = conductor(*asked, *cases, environment=environment)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed            4 of 4 (100 %" in done.stdout
    found = json.loads(report.read_text())
    assert found["model"] == model
    assert found["summary"]["pass_all_runs"] == 1.0
    assert found["summary"]["valid_first_try"] == 1.0
    assert all(one["usage"]["requests"] >= 1 for one in found["results"])
    assert "sk-mock" not in report.read_text()


def test_a_model_that_only_talks_fails_and_is_told_why(
    environment: dict[str, str], server: LlmServer
) -> None:
    said = choose_cases("core", ("type-text",))[0].turns[0].say
    server.add({"match": {"userMessage": said}, "response": {"content": "Done!"}})
    asked = ("eval", "run", "--provider", "mock", "--max-cost", "2", "--yes", "--case", "type-text")

    done = conductor(*asked, "--runs", "2", environment=environment)

    assert done.returncode == 0
    assert done.stdout.count("FAIL  type-text") == 2
    assert "should do text best regards, ada, but did nothing" in done.stdout
    assert "pass^k            0 % of 1 cases" in done.stdout
    assert "weak in           actions: 0 %" in done.stdout


def test_nothing_is_spent_before_the_user_agrees(
    environment: dict[str, str], server: LlmServer
) -> None:
    before = len(server.journal())
    asked = ("eval", "run", "--provider", "mock", "--max-cost", "1", "--case", "note-to-keys")

    piped = conductor(*asked, environment=environment)
    with at_the_keys(environment, *asked) as keys:
        keys.wait_for("Continue? [y/N]")
        keys.type("n")
        assert keys.ends() == 1

    assert "about $" in keys.shown
    assert "at most $1" in keys.shown
    assert piped.returncode == 1
    assert "add --yes" in piped.stderr
    assert len(server.journal()) == before


def test_a_limit_that_the_first_case_would_pass_stops_at_once(
    environment: dict[str, str], server: LlmServer
) -> None:
    before = len(server.journal())
    asked = ("eval", "run", "--provider", "mock", "--max-cost", "0.000001", "--yes")

    done = conductor(*asked, environment=environment)

    assert done.returncode == 1
    assert f"0 of {len(load_cases())} runs completed." in done.stdout
    assert len(server.journal()) == before


def test_a_key_that_is_refused_ends_it_at_the_first_case(
    environment: dict[str, str], server: LlmServer
) -> None:
    said = choose_cases("core", ("long-press",))[0].turns[0].say
    refusal = {"error": {"message": "invalid key", "type": "authentication_error"}, "status": 401}
    server.add({"match": {"userMessage": said}, "response": refusal})
    done = run_case("long-press", environment)

    assert done.returncode == 1
    assert "key" in done.stderr
    assert "FAIL" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--provider", "nix", "--max-cost", "1"), "nix"),
        (("--provider", "mock", "--max-cost", "0"), "--max-cost must be greater than 0"),
        (("--provider", "mock", "--max-cost", "nan"), "--max-cost must be greater than 0"),
        (
            ("--provider", "mock", "--max-cost", "1", "--model", "\udcff"),
            "--model contains an unprintable character",
        ),
        (("--provider", "mock", "--max-cost", "1", "--json", "/no/such/x.json"), "/no/such/x.json"),
        (("--provider", "mock", "--max-cost", "1", "--suite", "nix"), "there is no suite `nix`"),
        (("--provider", "mock", "--max-cost", "1", "--case", "nix"), "no case is called nix"),
    ],
)
def test_what_cannot_be_run_is_said(
    environment: dict[str, str], arguments: tuple[str, ...], words: str
) -> None:
    done = conductor("eval", "run", *arguments, "--yes", environment=environment)

    assert done.returncode == 1
    assert words in done.stderr


def test_an_unknown_price_is_said_and_not_taken_for_none(tmp_path: Path, server: LlmServer) -> None:
    environment = at_home(tmp_path, server, "custom", "my-own")
    done = run_case("note-to-keys", environment)

    assert "price unknown, so --max-cost has no effect" in done.stdout
    assert "cost              unknown" in done.stdout


def test_a_summary_reads_well() -> None:
    runs = [Result(case=str(n), family="modes", run=0, passed=n > 1) for n in range(10)]

    assert (
        format_summary(summarize_results(runs))[0]
        == "passed            8 of 10 (80 %, 95 % confidence interval 49 to 94 %)"
    )
