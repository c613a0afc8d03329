"""What a Conductor without a chat does not pay for."""

import subprocess
import sys

STARTED = "conductor.cli.run, conductor.app.build, conductor.app.chat_service, conductor.mcp.server.agents"
OF_CHAT = (
    "conductor.agent",
    "conductor.llm",
    "conductor.domain.chat.messages",
    "pydantic_ai",
    "sqlalchemy",
)


def test_a_headless_start_imports_nothing_of_the_chat() -> None:
    check = f"import sys, {STARTED}; print([n for n in sys.modules if n.startswith({OF_CHAT!r})])"
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_chat_itself_imports_no_provider_s_library() -> None:
    check = "import sys, conductor.agent.chat; print([n for n in ('pydantic_ai', 'anthropic', 'openai') if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
