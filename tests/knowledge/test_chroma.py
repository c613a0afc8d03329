"""chromadb finds the same as the exact comparison, or is not used: whatever is wrong with it or around it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.knowledge.conftest import ROOT
from tests.support.chroma_forks import ForkingSubprocess
from tests.support.running import wait_for

from conductor.base.resource_paths import MODEL_FILE, KnowledgePaths
from conductor.domain.settings import KnowledgeSettings
from conductor.knowledge import calibration, chroma_host, chroma_worker, database
from conductor.knowledge.chroma_host import (
    MAX_CHROMA_FAILURES,
    OPENING_MARKER_FILE_NAME,
    ChromaHost,
    fingerprint_vectors,
)
from conductor.knowledge.chroma_process import encode_vectors
from conductor.knowledge.chroma_worker import ChromaWorker
from conductor.knowledge.embedder import VECTOR_DIMENSION_COUNT, OnnxEmbedder
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.search import KnowledgeIndex, SearchQuery
from conductor.knowledge.thesaurus import Thesaurus

pytestmark = pytest.mark.timeout(300)
LONG_S = 120.0
IDS = [f"midi/some#{number}" for number in range(60)]
_RANDOM = (
    np.random.default_rng(7).standard_normal((len(IDS), VECTOR_DIMENSION_COUNT)).astype(np.float32)
)
VECTORS = _RANDOM / np.linalg.norm(_RANDOM, axis=1, keepdims=True)
NAME = f"chroma-{fingerprint_vectors(IDS, VECTORS)}"
Start = Callable[..., ChromaHost]


@pytest.fixture(autouse=True, scope="module")
def _forks() -> Generator[None]:
    """Fork the processes of chromadb from one that has imported it, except in tests of what an import reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chroma_worker, "subprocess", ForkingSubprocess)
        yield


@pytest.fixture
def start(tmp_path: Path) -> Generator[Start]:
    """Start a host for a folder, with the vectors of this file, and wait until it is known who answers."""
    hosts: list[ChromaHost] = []

    def begin(
        ids: list[str] = IDS,
        vectors: np.ndarray = VECTORS,
        folder: Path = tmp_path / "knowledge",
        query_timeout_s: float = LONG_S,
        program: tuple[str, ...] = (),
    ) -> ChromaHost:
        host = ChromaHost(folder, start_delay_s=0, query_timeout_s=query_timeout_s, program=program)
        hosts.append(host)
        host.load_in_background(ids, vectors)
        assert host.settled.wait(LONG_S)
        return host

    yield begin
    for host in hosts:
        host.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "knowledge"


@pytest.fixture(scope="module")
def real() -> database.IndexContents:
    return database.read_index(ROOT / "knowledge" / "index" / "knowledge.db")


@pytest.fixture(scope="module")
def filled(real: database.IndexContents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the vectors of the index that ships."""
    return fill(tmp_path_factory.mktemp("filled"), list(real.vector_ids), real.vectors)


MANY = 1_500
"""More vectors than chromadb holds back from its file, and a quarter of those of the whole index."""


@pytest.fixture(scope="module")
def filled_with_many(
    real: database.IndexContents, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with so many vectors that chromadb writes them to a file of its own."""
    where = tmp_path_factory.mktemp("many")
    return fill(where, list(real.vector_ids[:MANY]), real.vectors[:MANY])


def fill(where: Path, ids: list[str], vectors: np.ndarray) -> Path:
    """Store vectors in a folder, and return the folder."""
    host = ChromaHost(where, start_delay_s=0)
    host.load_in_background(ids, vectors)
    assert host.settled.wait(LONG_S)
    assert host.is_used, host.reason
    host.close()
    return where


def finds_itself(host: ChromaHost, row: int = 11) -> bool:
    return (host.find_nearest_ids(VECTORS[row], 3) or [""])[0] == IDS[row]


def test_the_five_best_of_the_real_index_are_those_of_the_exact_comparison(
    real: database.IndexContents, filled: Path, start: Start
):
    host = start(list(real.vector_ids), real.vectors, filled)
    embedder = OnnxEmbedder(ROOT / "knowledge" / "index" / MODEL_FILE)
    exact, chroma = (KnowledgeIndex(real, embedder, Thesaurus(())) for _ in range(2))
    asked: list[object] = []
    chroma.find_nearest = lambda vector, k: (
        asked.append(host.find_nearest_ids(vector, k)) or asked[-1]
    )  # type: ignore[func-returns-value]
    questions = calibration.read_calibration_questions(ROOT / "knowledge" / "calibration.toml")
    texts = [one.text for one in questions[::5]]
    for text in texts:
        best, found = (index.rank_chunks(SearchQuery(text)) for index in (exact, chroma))
        assert found.order[:5] == best.order[:5], text
        assert found.relevance == pytest.approx(best.relevance, abs=1e-4)
    assert None not in asked
    assert len(asked) >= len(texts) > 50  # once more for each part of a message that is split


def test_what_was_made_once_is_used_again(start: Start, folder: Path):
    start().close()
    (folder / NAME / "left there").touch()
    again = start()
    assert again.is_used
    assert finds_itself(again)
    assert (folder / NAME / "left there").exists(), "the folder was recreated"
    assert "chromadb" not in sys.modules


def test_other_vectors_take_the_place_of_the_old_ones(start: Start, folder: Path):
    host = start()
    host.load_in_background(IDS[:30], VECTORS[:30])
    assert host.settled.wait(LONG_S)
    assert host.is_used
    assert host.find_nearest_ids(VECTORS[0], 50) is not None
    assert [each.name for each in folder.glob("chroma-*")] == [
        f"chroma-{fingerprint_vectors(IDS[:30], VECTORS[:30])}"
    ]


TRAPS = (
    "CHROMA_API_IMPL=chromadb.api.fastapi.FastAPI\nCHROMA_SERVER_HOST=127.0.0.1\n"
    "CHROMA_SERVER_HTTP_PORT=9\n",
    "MIGRATIONS=true\n",
)
"""An `.env` file that names another server, and one with a word of another project."""


def test_no_env_file_and_no_variable_leads_it_astray(
    start: Start, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    plain = "import chromadb; chromadb.PersistentClient('x').create_collection('abc')"
    for trap in TRAPS:
        (tmp_path / ".env").write_text(trap)
        naive = subprocess.run(
            [sys.executable, "-c", plain], cwd=tmp_path, capture_output=True, check=False
        )
        assert naive.returncode != 0, f"no trap any more: {trap}"
    for place in (tmp_path, folder, folder / NAME):
        place.mkdir(exist_ok=True)
        (place / ".env").write_text("".join(TRAPS))
    shutil.rmtree(folder / NAME)
    monkeypatch.chdir(tmp_path)
    for line in "".join(TRAPS).splitlines():
        monkeypatch.setenv(*line.split("=", 1))
    monkeypatch.setattr(chroma_worker, "subprocess", subprocess)
    host = start()
    assert host.is_used, host.reason
    assert finds_itself(host)
    assert not (tmp_path / "x" / "chroma.sqlite3").exists()


def test_the_first_start_needs_no_network(start: Start, tmp_path: Path):
    script = tmp_path / "offline.py"
    script.write_text(
        "import sys\n"
        "def refuse(event, arguments):\n"
        "    if event.startswith('socket.') and event != 'socket.__new__':\n"
        "        open(__file__ + '.log', 'a').write(event + '\\n')\n"
        "        raise OSError('there is no network')\n"
        "sys.addaudithook(refuse)\n"
        "from conductor.__main__ import main\n"
        "sys.exit(main())\n"
    )
    host = start(program=(sys.executable, str(script)))
    assert host.is_used, host.reason
    assert finds_itself(host)
    assert not Path(f"{script}.log").exists()


@pytest.mark.parametrize("damage", ["zeros", "half"])
def test_damaged_vectors_are_detected_and_rebuilt(
    real: database.IndexContents,
    filled_with_many: Path,
    start: Start,
    folder: Path,
    damage: str,
):
    shutil.copytree(filled_with_many, folder)
    (file,) = folder.rglob("data_level0.bin")
    whole = file.read_bytes()
    assert len(whole) > VECTORS[0].nbytes * MANY // 2
    file.write_bytes(bytes(len(whole)) if damage == "zeros" else whole[: len(whole) // 2 + 13])
    host = start(list(real.vector_ids[:MANY]), real.vectors[:MANY])
    assert host.is_used, host.reason
    row = MANY // 3
    assert (host.find_nearest_ids(real.vectors[row], 5) or [""])[0] == real.vector_ids[row]


def test_a_damaged_file_of_its_own_is_rebuilt(start: Start, folder: Path):
    start().close()
    (folder / NAME / "chroma.sqlite3").write_bytes(b"no database" * 1_000)
    assert finds_itself(start())


def test_a_count_that_is_wrong_is_found_out_and_mended(start: Start, folder: Path):
    start().close()
    worker = ChromaWorker(folder / NAME, fingerprint_vectors(IDS, VECTORS))
    one_more = {"ids": ["midi/foreign#1"], "vectors": encode_vectors(VECTORS[:1])}
    assert worker.request("upsert", LONG_S, **one_more)["count"] == len(IDS) + 1
    worker.stop()
    host = start()
    assert host.is_used
    assert sorted(host.find_nearest_ids(VECTORS[0], 100) or []) == sorted(IDS)


def test_vectors_of_other_texts_are_rebuilt(start: Start, folder: Path):
    (folder / NAME).mkdir(parents=True)
    worker = ChromaWorker(folder / NAME, "another")
    worker.request("upsert", LONG_S, ids=IDS, vectors=encode_vectors(VECTORS[::-1].copy()))
    worker.stop()
    assert finds_itself(start())


def test_after_a_start_that_ended_badly_it_is_left_alone_once(start: Start, folder: Path):
    start().close()
    (folder / OPENING_MARKER_FILE_NAME).touch()
    careful = start()
    assert not careful.is_used
    assert careful.pid is None
    assert "its last start crashed" in careful.reason
    careful.close()
    assert finds_itself(start())


def test_a_second_process_leaves_the_vectors_to_the_first(start: Start):
    first, second = start(), start()
    assert not second.is_used
    assert "another process" in second.reason
    assert second.find_nearest_ids(VECTORS[0], 3) is None
    assert finds_itself(first)


def test_two_workers_of_one_folder_cannot_both_write(start: Start, folder: Path):
    host = start()
    worker = ChromaWorker(folder / NAME, fingerprint_vectors(IDS, VECTORS))
    with pytest.raises(Exception, match="another process"):
        worker.request("open", LONG_S)
    worker.stop()
    assert finds_itself(host)


def test_a_crash_of_it_costs_nothing_but_itself(start: Start, folder: Path):
    host = start()
    assert host.pid is not None
    os.kill(host.pid, signal.SIGABRT)
    assert host.find_nearest_ids(VECTORS[0], 3) is None
    assert not host.is_used
    assert "failed" in host.reason
    host.close()
    assert (folder / OPENING_MARKER_FILE_NAME).exists()


def test_one_that_hangs_is_ended_after_three_questions(start: Start):
    host = start(query_timeout_s=LONG_S)
    host.query_timeout_s = 0.05
    assert host.pid is not None
    os.kill(host.pid, signal.SIGSTOP)
    assert [host.find_nearest_ids(VECTORS[0], 3) for _ in range(MAX_CHROMA_FAILURES)] == [
        None
    ] * MAX_CHROMA_FAILURES
    assert not host.is_used
    assert "no answer" in host.reason


def test_a_program_that_cannot_be_started_leaves_the_exact_comparison(start: Start):
    host = start(program=("/nowhere/conductor",))
    assert not host.is_used
    assert "cannot be used" in host.reason


def test_closing_waits_for_no_process_that_is_started_meanwhile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    hangs = (sys.executable, "-c", "import signal; signal.pause()")
    host = ChromaHost(folder, start_delay_s=0, program=hangs)
    started: list[ChromaWorker] = []

    class Late(ChromaWorker):
        """Is started when closing has looked for a process already."""

        def __init__(self, *given: Any) -> None:
            assert host.stop_in_background().is_alive()
            super().__init__(*given)
            started.append(self)

    monkeypatch.setattr(chroma_host, "ChromaWorker", Late)
    host.load_in_background(IDS, VECTORS)
    assert host.settled.wait(LONG_S)
    host.close()
    assert [worker.has_exited for worker in started] == [True]
    assert host.pid is None


def test_a_library_answers_before_during_and_after_it(where: KnowledgePaths, tmp_path: Path):
    chosen = KnowledgeSettings(store="exact")
    host = ChromaHost(where.own, start_delay_s=0, query_timeout_s=LONG_S)
    library = KnowledgeBase(tmp_path / "home", lambda: chosen, paths=where, chroma=host)
    exact = library.search_chunks("which cc is the sustain pedal")
    assert host.pid is None
    assert library.get_status().store_reason == "all vectors are compared"
    chosen = KnowledgeSettings()
    assert library.search_chunks("which cc is the sustain pedal") == exact
    assert host.settled.wait(LONG_S)
    assert (library.get_status().store, host.is_used) == ("chroma", True)
    assert library.search_chunks("which cc is the sustain pedal") == exact
    chosen = KnowledgeSettings(store="exact")
    assert library.search_chunks("which cc is the sustain pedal") == exact
    assert library.get_status().store == "exact"
    wait_for(lambda: host.pid, lambda pid: pid is None, LONG_S)
    library.close()


def test_a_search_at_the_terminal_starts_nothing_of_it():
    script = (
        "import subprocess, sys\n"
        "subprocess.Popen = None\n"
        "from conductor.__main__ import main\n"
        "main(['knowledge', 'search', 'sustain pedal'])\n"
        "assert 'chromadb' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "sustain" in done.stdout.lower()
