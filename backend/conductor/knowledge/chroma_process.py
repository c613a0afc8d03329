"""The process that runs chromadb. It reads requests from standard input and writes replies to standard
output, as lines of JSON.

chromadb is native code that may crash, hang, or return wrong results from a damaged file. In a process of
its own it harms nothing else. The process ends when its parent does.
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
from conductor.knowledge.embedder import VECTOR_DIMENSION_COUNT, Vectors

PROCESS_NICENESS = 5
_ALLOWED_ENVIRONMENT_VARIABLES = (
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


def build_process_environment() -> dict[str, str]:
    """Return the environment variables for the process.

    Most are left out, because chromadb reads settings from variables with names such as `MIGRATIONS`.
    """
    inherited = copy_environment()
    allowed = {
        name: inherited[name]
        for name in inherited
        if name.upper() in _ALLOWED_ENVIRONMENT_VARIABLES
    }
    no_telemetry = {"ANONYMIZED_TELEMETRY": "False", "ORT_DISABLE_TELEMETRY": "1"}
    return {**allowed, "PYTHONSAFEPATH": "1", **no_telemetry}


def encode_vectors(vectors: Vectors) -> str:
    """Return vectors as base64 text, for a line of JSON."""
    return base64.b64encode(np.ascontiguousarray(vectors, "<f4").tobytes()).decode()


def decode_vectors(text: str) -> Vectors:
    """Return the vectors in a base64 text, one in each row."""
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, VECTOR_DIMENSION_COUNT)


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends, and return the exit code.

    `arguments` are the folder and the fingerprint.
    """
    folder, fingerprint = Path(arguments[0]), arguments[1]
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # text that a library prints must not be mistaken for a reply
    if sys.platform != "win32":
        os.nice(PROCESS_NICENESS)
    locks: list[InstanceLock] = []
    stores: list[ChromaStore] = []
    for line in requests:
        request = json.loads(line)
        try:
            if not locks:
                locks.append(InstanceLock(folder))
            if not stores:
                stores.append(ChromaStore(folder, fingerprint))
            reply = _handle_request(stores[0], request)
        except AlreadyRunning:
            reply = {"error": "another process uses the vectors"}
        except Exception as error:  # noqa: BLE001 - the library raises errors of any type
            reply = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
        replies.write(json.dumps({**reply, "id": request["id"]}).encode() + b"\n")
        replies.flush()
    for store in stores:
        store.close()
    return 0


def _handle_request(store: ChromaStore, request: Mapping[str, Any]) -> JsonObject:
    match request["op"]:
        case "open":
            return {"count": store.count_vectors(), "fingerprint": store.read_fingerprint()}
        case "upsert":
            store.upsert_vectors(request["ids"], decode_vectors(request["vectors"]))
            return {"count": store.count_vectors()}
        case _:
            return {
                "ids": store.find_nearest_ids(decode_vectors(request["vector"])[0], request["k"])
            }
