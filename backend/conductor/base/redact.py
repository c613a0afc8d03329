"""Removes API keys, tokens and passwords from text before it is logged."""

import re

REDACTED_TEXT = "[hidden]"
_SECRET_PATTERN = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
    r"|\bAIza[\w-]{20,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bglpat-[\w-]{16,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?i:\bbearer\s+)[\w.~+/-]{8,}=*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def redact_secrets(text: str) -> str:
    """Replace everything in a text that looks like a secret by `[hidden]`."""
    return _SECRET_PATTERN.sub(REDACTED_TEXT, text)
