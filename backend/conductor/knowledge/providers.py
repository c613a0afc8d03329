"""Limits of retrieval for each kind of provider, because their models differ in what they already know.

All values are estimates.
"""

from pydantic import Field

from conductor.domain.settings import KnowledgeProvider
from conductor.domain.value import Value


class RetrievalLimits(Value):
    """How many chunks are retrieved for the models of a provider, and how relevant they must be."""

    relevance_threshold: float = Field(default=0.35, ge=0, le=1)
    threshold_with_term: float = Field(default=0.15, ge=0, le=1)
    """The relevance that a message with a technical term must reach."""
    max_chunks: int = Field(default=5, ge=0, le=20)
    max_tokens: int = Field(default=1_500, ge=0)
    min_score_share: float = Field(default=0.5, ge=0, le=1)
    """The lowest score of further chunks, as a share of the best score."""
    boosts: dict[str, float] = Field(default_factory=dict[str, float])
    """Factors for chunks whose document id begins with a text: a domain, or a document such as
    `midi/midi1-sysex`.
    """


DEFAULT_RETRIEVAL_LIMITS = RetrievalLimits()
LOCAL_MODEL_RETRIEVAL_LIMITS = RetrievalLimits(
    relevance_threshold=0.25, threshold_with_term=0.10, max_chunks=7, min_score_share=0.3
)
_LIMITS_BY_PROVIDER_KIND: dict[str, RetrievalLimits] = {
    "anthropic": RetrievalLimits(boosts={"artnet": 1.15, "hid": 1.15}),
    "openai": RetrievalLimits(
        boosts={
            "midi/midi1-rpn-nrpn": 1.15,
            "midi/midi1-sysex": 1.15,
            "midi/midi-ci": 1.15,
            "midi/ump-": 1.15,  # MIDI 2.0
        }
    ),
    "google": DEFAULT_RETRIEVAL_LIMITS,
    "openrouter": DEFAULT_RETRIEVAL_LIMITS,
    "litellm": LOCAL_MODEL_RETRIEVAL_LIMITS,
    "custom": LOCAL_MODEL_RETRIEVAL_LIMITS,
}
SMALL_CONTEXT_WINDOW_TOKENS = 16_000
SMALL_CONTEXT_BUDGET_TOKENS = 600


def get_retrieval_limits(
    kind: str, context_tokens: int | None = None, changed: KnowledgeProvider | None = None
) -> RetrievalLimits:
    """Return the limits for a kind of provider. If the context window is small, they are reduced.

    `changed` contains the limits that the user has set.
    """
    limits = _LIMITS_BY_PROVIDER_KIND.get(kind, DEFAULT_RETRIEVAL_LIMITS)
    if changed is not None:
        limits = limits.model_copy(update=changed.model_dump(exclude_none=True))
        threshold_with_term = min(limits.threshold_with_term, limits.relevance_threshold)
        limits = limits.model_copy(update={"threshold_with_term": threshold_with_term})
    if context_tokens is None:
        return limits
    max_tokens = min(limits.max_tokens, context_tokens // 10)
    if context_tokens <= SMALL_CONTEXT_WINDOW_TOKENS:
        max_tokens = min(max_tokens, SMALL_CONTEXT_BUDGET_TOKENS)
    return limits.model_copy(update={"max_tokens": max_tokens})


def limit_retrieval_tokens(limits: RetrievalLimits, budget: int | None) -> RetrievalLimits:
    """Return limits within a budget of tokens, if there is one."""
    if budget is None:
        return limits
    return limits.model_copy(update={"max_tokens": max(0, min(limits.max_tokens, budget))})
