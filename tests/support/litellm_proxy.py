"""A real LiteLLM proxy in front of the simulator, which it asks over two wires; for the length of a block."""

import os
import secrets
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.llm_server import LlmServer, free_port
from tests.support.running import REPOSITORY, wait_for

PROGRAM = REPOSITORY / ".cache" / "litellm" / "bin" / "litellm"
KEY = f"sk-{secrets.token_hex(16)}"
START_WITHIN_S = 120
CONFIG = """
model_list:
  - model_name: claude
    litellm_params: {{model: anthropic/claude-sonnet-5-5, api_base: "{url}", api_key: none}}
  - model_name: gpt
    litellm_params: {{model: openai/gpt-6.1-sol, api_base: "{url}/v1", api_key: none}}
litellm_settings: {{num_retries: 0}}
router_settings: {{disable_cooldowns: true, num_retries: 0}}
"""


class Proxy:
    """A running LiteLLM, and the simulator behind it."""

    def __init__(self, behind: LlmServer) -> None:
        self.url, self.behind = f"http://127.0.0.1:{free_port()}", behind
        self.key = KEY

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/health/liveliness", timeout=5).close()
        except (urllib.error.URLError, OSError):
            return False
        return True


def _start(proxy: Proxy, folder: Path) -> subprocess.Popen[bytes]:
    config = folder / "config.yaml"
    config.write_text(CONFIG.format(url=proxy.behind.url))
    port = proxy.url.rpartition(":")[2]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [PROGRAM, "--config", config, "--host", "127.0.0.1", "--port", port],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )


@contextmanager
def litellm_proxy(behind: LlmServer) -> Generator[Proxy]:
    """Run a proxy for the length of the block."""
    with tempfile.TemporaryDirectory() as folder:
        proxy = Proxy(behind)
        process = _start(proxy, Path(folder))
        try:
            ended_or_up = lambda: process.poll() is not None or proxy.answers()  # noqa: E731
            wait_for(ended_or_up, bool, START_WITHIN_S)
            assert process.poll() is None, (Path(folder) / "log").read_text()
            yield proxy
        finally:
            process.kill()
            process.wait()
