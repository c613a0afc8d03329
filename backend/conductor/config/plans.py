"""Plans: proposed, proved, approved by the user, applied once. The only way a tool changes the config."""

import logging
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import Any

from conductor.base.atomic import hash_of
from conductor.config.draft import Draft, draft
from conductor.config.plan_ports import ChangeProver, PlanStore
from conductor.config.plan_rules import (
    FindMissing,
    approve_hint,
    is_own,
    is_running,
    may_see,
    new_missing,
    refuse_too_many,
    require_open,
    require_own,
    require_visible,
    truncate_overlaps,
)
from conductor.config.store import ConfigStore
from conductor.domain.coverage import Coverage
from conductor.domain.plan import (
    ActionRequest,
    ConfigPlan,
    Example,
    PlanStatus,
    Proposal,
    Requester,
    StoredPlan,
)
from conductor.domain.plan_text import approval_text, may_use_form
from conductor.errors import (
    ConductorError,
    ExamplesFailed,
    InvalidParams,
    NotAllowed,
    NotApproved,
    NotAvailable,
    PlanStale,
    StaleConfig,
    UnknownPlan,
)

log = logging.getLogger(__name__)

TTL_S = 300.0
SYSEX_TTL_S = 60.0
KEPT = 200
SHORT_ID_LENGTH = 8
"""Characters of an id that are printed, and that are enough to name a plan."""
OPEN = ("pending", "approved")
NOT_KNOWN = (
    "it was started, and how it ended is not known: check whether it was done before you ask again"
)


class Plans:
    """All plans of a running Conductor. Methods may take a while: call them from a worker thread.

    `perform` does what a plan that is not for the config asks for, and returns whether it is known to
    be done. `on_change` is told each new status.
    """

    def __init__(
        self,
        store: ConfigStore,
        prover: ChangeProver,
        open_plans: Callable[[], PlanStore],
        perform: Callable[[StoredPlan], bool],
        *,
        ttl_s: float = TTL_S,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_change: Callable[[ConfigPlan], None] = lambda _plan: None,
        locked_because: str | None = None,
        find_missing: FindMissing = lambda _config: (),
        runs: Callable[[int], bool] = is_running,
    ) -> None:
        self._store = store
        self._prover = prover
        self._open_plans = open_plans
        self._perform = perform
        self._ttl_s = ttl_s
        self._now = now
        self.on_change = on_change
        self.on_coverage: Callable[[dict[str, Any]], None] = lambda _found: None
        """Called from a thread with a plan's id and what gestures have shown of it so far."""
        self._locked_because = locked_because
        self._find_missing = find_missing
        self._runs = runs
        self._plans: dict[str, StoredPlan] | None = None
        self._kept: PlanStore | None = None
        self._lock = RLock()

    def propose(
        self,
        proposal: Proposal,
        by: Requester,
        examples: tuple[Example, ...] = (),
        *,
        privileged: bool = False,
    ) -> ConfigPlan:
        """Make a plan of a proposal, with its proof. Nothing is changed.

        Raises:
            ConfigError: the result would not be valid; the message says what to do.
            StaleConfig: the file on disk has a mistake.
        """
        refuse_too_many([one.requested_by for one in self.all() if one.status == "pending"], by)
        # somebody waits for this plan, and nobody for the gestures of an earlier one
        with self._prover.pause_gestures():
            drafted, stored = self._work_out(proposal, by, examples, privileged=privileged)
        plan = stored.plan
        with self._lock:
            self._keep(stored)
        if drafted.kind == "config":
            self._prover.play_gestures(plan.plan_id, drafted.old, drafted.new, self._add_coverage)
        return plan

    def get(self, plan_id: str, by: Requester | None = None) -> ConfigPlan:
        """Return a plan as it is now, to `by` if it may be shown there.

        Raises:
            UnknownPlan: there is none with this id.
            NotAllowed: another program proposed it.
        """
        plan = self._found(plan_id).plan
        if by is not None:
            require_visible(plan, by, self._runs)
        return plan

    def stored(self, plan_id: str) -> StoredPlan:
        """Return a plan with the changes it would make.

        Raises:
            UnknownPlan: there is none with this id.
        """
        return self._found(plan_id)

    def all(self, by: Requester | None = None) -> list[ConfigPlan]:
        """Return the plans that are kept, the newest first, and of them what `by` may be shown."""
        with self._lock:
            plans = [self._found(plan_id).plan for plan_id in reversed(list(self._known()))]
        return [plan for plan in plans if by is None or may_see(plan, by, self._runs)]

    def approve(self, plan_id: str, by: Requester, shown: str = "") -> ConfigPlan:
        """Record the user's approval, with the digest of what a form showed.

        `shown` is the whole text of the form that an agent's client showed.

        Raises:
            NotAllowed: who asks may not approve this plan.
            ExamplesFailed: the plan does not do what its examples expect.
        """
        with self._lock:
            stored = self._found(plan_id)
            plan = stored.plan
            self._may_approve(plan, by, shown)
            if plan.status in ("approved", "applied"):
                return plan
            require_open(plan)
            failed = [one for one in plan.examples if not one.passed]
            if failed:
                names = ", ".join(f"`{one.example.name}`" for one in failed)
                raise ExamplesFailed(
                    f"the plan does not do what its examples expect: {names}; propose another one"
                )
            digest = hash_of(shown.encode()) if by.caller == "mcp" else None
            return self._set(stored, "approved", approved_by=by, shown_digest=digest)

    def reject(self, plan_id: str, by: Requester, reason: str = "") -> ConfigPlan:
        """Turn a plan down for good."""
        with self._lock:
            stored = self._found(plan_id)
            require_own(stored.plan, by, self._runs)
            if stored.plan.status == "rejected":
                return stored.plan
            require_open(stored.plan)
            words = f"rejected by {by.words()}" + (f": {reason}" if reason else "")
            return self._set(stored, "rejected", reason=words[:500])

    def apply(self, plan_id: str, by: Requester) -> ConfigPlan:
        """Do what an approved plan says, all of it or nothing. An applied plan is given back.

        Raises:
            NotApproved, PlanExpired, PlanStale, NotAllowed: it is not to be done; says what to do.
        """
        with self._lock:
            stored = self._found(plan_id)
            plan = stored.plan
            require_own(plan, by, self._runs)
            if plan.status in ("applied", "unknown"):
                return plan
            require_open(plan)
            if plan.status != "approved":
                raise NotApproved(f"plan {plan_id} waits for the user: {approve_hint(plan)}")
            if plan.kind == "sysex":
                raise InvalidParams("call conductor_send_sysex again, with its token, to send it")
            if self._locked_because is not None:
                raise NotAvailable(self._locked_because)
            return self._apply(stored)

    def note_end(self, plan_id: str, reason: str | None) -> None:
        """Record how a plan ended that was not known to be done; `reason` says why it failed."""
        with self._lock:
            stored = self._known().get(plan_id)
            if stored is not None and stored.plan.status == "unknown":
                self._set(stored, "applied" if reason is None else "failed", reason=reason)

    def settle(self) -> None:
        """Return once no plan is being applied."""
        with self._lock:
            return

    def use(self, plan_id: str, by: Requester) -> ConfigPlan:
        """Use an approved plan up: what it is for is done by the caller, right after this."""
        with self._lock:
            stored = self._found(plan_id)
            require_own(stored.plan, by, self._runs)
            require_open(stored.plan)
            if stored.plan.status != "approved":
                raise NotApproved(f"plan {plan_id} waits for the user: {approve_hint(stored.plan)}")
            return self._set(stored, "applied")

    def _apply(self, stored: StoredPlan) -> ConfigPlan:
        plan = stored.plan
        try:
            if plan.kind == "config":
                self._commit(stored)
            else:
                # used up first, so that a crash cannot have it done twice, nor call it done
                sent = self._set(stored, "unknown", reason=NOT_KNOWN)
                if not self._perform(stored):
                    return sent
        except StaleConfig as error:
            self._set(stored, "stale", reason=str(error))
            raise PlanStale(
                f"the config changed since plan {plan.plan_id} was made; propose it again"
            ) from error
        except ConductorError as error:
            self._set(stored, "failed", reason=str(error)[:500])
            raise
        done = self._set(stored, "applied")
        if plan.examples:
            examples = tuple(one.example for one in plan.examples)
            self._prover.keep_examples(plan.plan_id, examples, self._store.current)
        return done

    def _commit(self, stored: StoredPlan) -> None:
        plan = stored.plan
        self._store.reload()
        if self._was_done(stored):
            return
        base, author = plan.base_state_hash, plan.requested_by
        if stored.step == "restore":
            self._store.replace_text(stored.new_text, plan.description, base, author)
            return
        if stored.step is not None:
            self._store.step_to(stored.step, stored.new_text, base)
            return
        self._store.commit(stored.change_list, base, plan.description, author)

    def _was_done(self, stored: StoredPlan) -> bool:
        """Return whether the file is what the plan makes of it: then a crash came after the change."""
        return not self._store.problems and self._store.hash == hash_of(stored.new_text.encode())

    def _work_out(
        self, proposal: Proposal, by: Requester, examples: tuple[Example, ...], *, privileged: bool
    ) -> tuple[Draft, StoredPlan]:
        self._store.reload()
        if self._store.problems:
            mistake = self._store.problems[0].text()
            raise StaleConfig(f"config.toml on disk has a mistake ({mistake}); mend it first")
        snapshot = self._store.snapshot
        drafted = draft(proposal, snapshot, self._store)
        created = self._now()
        ttl_s = min(self._ttl_s, SYSEX_TTL_S) if drafted.kind == "sysex" else self._ttl_s
        plan = ConfigPlan(
            plan_id=str(uuid.uuid4()),
            kind=drafted.kind,
            status="pending",
            description=drafted.description,
            changes=drafted.rows,
            diff_preview=drafted.diff,
            base_state_hash=snapshot.hash,
            created_at=created,
            expires_at=created + timedelta(seconds=ttl_s),
            touched_files=(str(self._store.path),) if drafted.kind == "config" else (),
            requested_by=by,
            privileged=privileged or drafted.privileged,
            window_only=drafted.window_only,
            diff_is_cut=drafted.is_cut,
            **self._prove(drafted, examples),
        )
        stored = StoredPlan(
            plan=plan,
            change_list=drafted.changes,
            new_text=drafted.text,
            step=drafted.step,
            action=proposal.action.to_plain() if isinstance(proposal, ActionRequest) else None,
        )
        return drafted, stored

    def _prove(self, drafted: Draft, examples: tuple[Example, ...]) -> dict[str, Any]:
        if drafted.kind != "config":
            return {"warnings": drafted.warnings}
        proof = self._prover.prove(drafted.old, drafted.new, examples)
        breaks = tuple(
            f"This breaks your example `{one.example.name}`: {one.problem}"
            for one in proof.broken_examples
        )
        overlaps, more = truncate_overlaps(proof.overlaps)
        missing = new_missing(self._find_missing, drafted.old, drafted.new)
        return {
            "warnings": (*breaks, *drafted.warnings, *missing, *more),
            "overlaps": overlaps,
            "replay": proof.replay,
            "impact": proof.impact,
            "coverage": proof.coverage,
            "examples": proof.examples,
            "broken_examples": proof.broken_examples,
        }

    def _may_approve(self, plan: ConfigPlan, by: Requester, shown: str) -> None:
        if by.is_user:
            return
        by_form = (
            by.caller == "mcp"
            and is_own(plan, by, self._runs)
            and may_use_form(plan, by, self._store.current.llm.mcp)
            and hash_of(shown.encode()) == hash_of(approval_text(plan).encode())
        )
        if not by_form:
            why = f" ({'; '.join(plan.window_only)})" if plan.window_only else ""
            raise NotAllowed(
                f"only the user can approve plan {plan.plan_id}{why}: {approve_hint(plan)}"
            )

    def _found(self, plan_id: str) -> StoredPlan:
        with self._lock:
            known = self._known()
            stored = known.get(plan_id)
            if stored is None and len(plan_id) >= SHORT_ID_LENGTH:
                found = [one for name, one in known.items() if name.startswith(plan_id)]
                stored = found[0] if len(found) == 1 else None
            if stored is None:
                raise UnknownPlan(
                    f"no plan has the id `{plan_id[:60]}`; conductor_list_plans shows all"
                )
            if stored.plan.status in OPEN and self._now() >= stored.plan.expires_at:
                self._set(stored, "expired")
                return self._known()[stored.plan.plan_id]
            return stored

    def _known(self) -> dict[str, StoredPlan]:
        if self._plans is None:
            try:
                self._kept = self._open_plans()
                self._plans = {stored.plan.plan_id: stored for stored in self._kept.load()}
            except NotAvailable as error:
                log.warning("plans are not kept: %s", error)
                self._plans = {}
        return self._plans

    def _add_coverage(self, plan_id: str, coverage: Coverage) -> bool:
        """Add what gestures have shown so far; False when nobody decides on the plan any more."""
        with self._lock:
            stored = self._known().get(plan_id)
            if stored is None or self._found(plan_id).plan.status not in OPEN:
                return False
            plan = stored.plan.model_copy(update={"coverage": coverage})
            self._put(stored.model_copy(update={"plan": plan}), save=coverage.finished)
        self.on_coverage({"plan_id": plan_id, "coverage": coverage.model_dump(mode="json")})
        return True

    def _set(self, stored: StoredPlan, status: PlanStatus, **fields: Any) -> ConfigPlan:
        plan = stored.plan.model_copy(update={"status": status, **fields})
        self._keep(stored.model_copy(update={"plan": plan}))
        return plan

    def _keep(self, stored: StoredPlan) -> None:
        self._put(stored, save=True)
        self.on_change(stored.plan)

    def _put(self, stored: StoredPlan, *, save: bool) -> None:
        known = self._known()
        known[stored.plan.plan_id] = stored
        while len(known) > KEPT:
            del known[next(iter(known))]
        try:
            if save and self._kept is not None:
                self._kept.save(stored)
        except NotAvailable as error:
            log.warning("plan %s could not be kept: %s", stored.plan.plan_id, error)
