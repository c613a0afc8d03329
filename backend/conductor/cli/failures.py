"""Matches failures of actions with the traces of their events.

A failure may arrive before the trace of the event that caused it, or after it.
"""

from conductor.domain.wire_rows import FailureRow, TraceRow


class FailureMatcher:
    """Keeps failures of actions until the traces of their events arrive."""

    def __init__(self) -> None:
        self._stored: list[FailureRow] = []
        self._last_sequence = -1
        """The sequence number of the last trace that was printed. Traces arrive in order."""

    def store_until_trace_arrives(self, failure: FailureRow) -> bool:
        """Keep a failure until the trace of its event arrives.

        If that trace was already printed, nothing is kept, and the result True tells the caller to print
        the failure now.
        """
        if failure["sequence"] <= self._last_sequence:
            return True
        self._stored.append(failure)
        return False

    def take_trace_failures(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the failures that belong to a trace which is printed now."""
        self._last_sequence = trace["sequence"]
        return self._take_failures_before(trace["sequence"] + 1)

    def take_skipped_failures(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the failures that belong to earlier events, whose traces the monitor has
        skipped.
        """
        return self._take_failures_before(trace["sequence"])

    def take_all_failures(self) -> list[FailureRow]:
        """Remove and return all failures, because no further traces arrive."""
        remaining, self._stored = self._stored, []
        return remaining

    def _take_failures_before(self, sequence: int) -> list[FailureRow]:
        found = [failure for failure in self._stored if failure["sequence"] < sequence]
        self._stored = [failure for failure in self._stored if failure["sequence"] >= sequence]
        return found
