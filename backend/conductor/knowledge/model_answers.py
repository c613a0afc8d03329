"""Answers messages about controllers that have no profile."""

from conductor.domain.knowledge import Retrieval
from conductor.knowledge import query_hints
from conductor.knowledge.pipeline import count_prompt_tokens
from conductor.knowledge.search import MAX_PREVIOUS_ANSWER_CHARACTERS, KnowledgeIndex
from conductor.knowledge.text import MAX_QUERY_CHARACTERS
from conductor.knowledge.unknown_models import MentionedModel, build_unknown_model_answer


def find_unknown_model(
    index: KnowledgeIndex, query: str, last_answer: str = ""
) -> MentionedModel | None:
    """Return the model without a profile that a message mentions, or that the answer before a follow-up
    question mentioned.
    """
    text = query[:MAX_QUERY_CHARACTERS]
    found = index.find_unknown_model(text)
    is_follow_up = query_hints.refers_to_earlier_messages(
        text
    ) and not index.find_mentioned_devices(text)
    if found is None and is_follow_up:
        return index.find_unknown_model(last_answer[:MAX_PREVIOUS_ANSWER_CHARACTERS])
    return found


def build_unknown_model_retrieval(model: MentionedModel) -> Retrieval:
    """Return the answer which says that a model has no profile."""
    found = build_unknown_model_answer(model.title)
    return Retrieval(found=(found,), tokens=count_prompt_tokens(found))


def add_unknown_model_answer(
    index: KnowledgeIndex, model: MentionedModel, found: Retrieval, query: str
) -> Retrieval:
    """Return the answer for a model without a profile, followed by the results that are not about some
    other device.
    """
    named_devices = index.find_mentioned_devices(query)
    kept = [each for each in found.found if each.chunk.device in (None, *named_devices)]
    results = (*build_unknown_model_retrieval(model).found, *kept)
    return Retrieval(found=results, tokens=sum(map(count_prompt_tokens, results)))
