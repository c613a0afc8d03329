"""Matches failed actions with the traces of their events, which may arrive before or after the failures."""

from conductor.domain.wire_rows import FailureRow, TraceRow


class FailureMatcher:
    """Stores failures of actions until the traces of their events arrive."""

    def __init__(self) -> None:
        self._stored: list[FailureRow] = []
        self._last_sequence = -1
        """The sequence number of the last printed trace; traces arrive in order."""

    def store_until_trace_arrives(self, failure: FailureRow) -> bool:
        """Return whether the trace of a failure has already been printed.

        If not, store the failure until the trace arrives.
        """
        if failure["sequence"] <= self._last_sequence:
            return True
        self._stored.append(failure)
        return False

    def take_trace_failures(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the stored failures of a trace that is about to be printed."""
        self._last_sequence = trace["sequence"]
        return self._take_failures_before(trace["sequence"] + 1)

    def take_skipped_failures(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the stored failures of events before a trace, which the monitor has skipped."""
        return self._take_failures_before(trace["sequence"])

    def take_all_failures(self) -> list[FailureRow]:
        """Remove and return all stored failures, whose traces have not arrived."""
        remaining, self._stored = self._stored, []
        return remaining

    def _take_failures_before(self, sequence: int) -> list[FailureRow]:
        found = [failure for failure in self._stored if failure["sequence"] < sequence]
        self._stored = [failure for failure in self._stored if failure["sequence"] >= sequence]
        return found
