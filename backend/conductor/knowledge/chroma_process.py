"""The process that runs chromadb. Requests and replies are lines of JSON on standard input and output.

chromadb is native code that may crash, hang or return wrong results from a damaged file. In a separate process
it affects nothing else. The process ends when its parent does.
"""

import base64
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conductor.base.environment import copy_environment
from conductor.base.json_types import JsonObject
from conductor.base.single_instance import InstanceLock
from conductor.errors import AlreadyRunning
from conductor.knowledge.chroma import ChromaStore
from conductor.knowledge.embedder import SIZE, Vectors

NICER = 5
_PASSED_ON = (
    "APPDATA",
    "COMSPEC",
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "LOCALAPPDATA",
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USERPROFILE",
)


def environment() -> dict[str, str]:
    """Return the environment variables that the process may see.

    chromadb would read settings from variables with names such as `MIGRATIONS`.
    """
    here = copy_environment()
    kept = {name: here[name] for name in here if name.upper() in _PASSED_ON}
    silent = {"ANONYMIZED_TELEMETRY": "False", "ORT_DISABLE_TELEMETRY": "1"}
    return {**kept, "PYTHONSAFEPATH": "1", **silent}


def packed(vectors: Vectors) -> str:
    """Encode vectors as base64 text."""
    return base64.b64encode(np.ascontiguousarray(vectors, "<f4").tobytes()).decode()


def unpacked(text: str) -> Vectors:
    """Decode vectors from base64 text, one per row."""
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, SIZE)


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends. `arguments` are the folder and the fingerprint."""
    folder, fingerprint = Path(arguments[0]), arguments[1]
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # text that a library prints must not look like an answer
    if sys.platform != "win32":
        os.nice(NICER)
    held: list[InstanceLock] = []
    stores: list[ChromaStore] = []
    for line in questions:
        asked = json.loads(line)
        try:
            if not held:
                held.append(InstanceLock(folder))
            if not stores:
                stores.append(ChromaStore(folder, fingerprint))
            answer = _answer(stores[0], asked)
        except AlreadyRunning:
            answer = {"error": "another process has the vectors"}
        except Exception as error:  # noqa: BLE001 - the library raises errors of any type
            answer = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
        answers.write(json.dumps({**answer, "id": asked["id"]}).encode() + b"\n")
        answers.flush()
    for store in stores:
        store.close()
    return 0


def _answer(store: ChromaStore, asked: Mapping[str, Any]) -> JsonObject:
    match asked["op"]:
        case "open":
            return {"count": store.count(), "fingerprint": store.fingerprint()}
        case "upsert":
            store.upsert(asked["ids"], unpacked(asked["vectors"]))
            return {"count": store.count()}
        case _:
            return {"ids": store.query(unpacked(asked["vector"])[0], asked["k"])}
