"""Manages plans from proposal to use: a plan is proposed, proved, approved by the user and applied once.

Tools change the config only through plans.
"""

import logging
import uuid
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from functools import partial
from threading import RLock
from typing import Any

from conductor.base.atomic import hash_bytes
from conductor.config.draft import PlanDraft, build_draft
from conductor.config.plan_ports import ChangeProver, PlanStore
from conductor.config.plan_proof import prove_draft
from conductor.config.plan_rebase import rebase_plans
from conductor.config.plan_rules import (
    PLAN_TTL_S,
    FindMissingParts,
    can_view_plan,
    check_pending_limit,
    describe_plan_part,
    find_expiry_time,
    format_approve_hint,
    format_edited_reason,
    is_own_plan,
    is_process_running,
    require_full_plan_id,
    require_known_changes,
    require_open_plan,
    require_own_plan,
    require_shown_proof,
    require_usable_plan,
    require_viewable_plan,
)
from conductor.config.store import ConfigStore, Snapshot
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
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
from conductor.domain.plan_text import can_approve_in_form, format_approval_text
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

MAX_STORED_PLANS = 200
SHORT_ID_LENGTH = 8
"""The number of characters of a plan id that are printed. They are enough to find the plan."""
OPEN_PLAN_STATUSES = ("pending", "approved")
UNKNOWN_OUTCOME_REASON = (
    "it was started, and its outcome is unknown: check whether it was done before you ask again"
)


class Plans:
    """Manages all plans of a running Conductor: proposing, approving, applying and rejecting. The methods may
    block, so call them from a worker thread.

    `perform` executes a plan that performs an action instead of changing the config. If the outcome is not
    known yet, `perform` returns False, and `record_plan_outcome` completes the plan later. `on_change` is
    called with each new status, and `on_coverage` from a background thread with a plan's id and its gesture
    coverage so far. `read_names` returns the control names for the descriptions of changes.
    """

    def __init__(
        self,
        store: ConfigStore,
        prover: ChangeProver,
        open_plans: Callable[[], PlanStore],
        perform: Callable[[StoredPlan], bool],
        *,
        ttl_s: float = PLAN_TTL_S,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_change: Callable[[ConfigPlan], None] = lambda _plan: None,
        on_coverage: Callable[[str, Coverage], None] = lambda _plan_id, _coverage: None,
        locked_because: str | None = None,
        find_missing: FindMissingParts = lambda _config: (),
        runs: Callable[[int], bool] = is_process_running,
        read_names: Callable[[], ControlNames] = lambda: NO_CONTROL_NAMES,
    ) -> None:
        self._store = store
        self._prover = prover
        self._open_plans = open_plans
        self._perform = perform
        self._ttl_s = ttl_s
        self._now = now
        self._on_change = on_change
        self._on_coverage = on_coverage
        self._locked_because = locked_because
        self._runs = runs
        self._read_names = read_names
        self._prove = partial(prove_draft, prover=prover, find_missing=find_missing)
        self._plans: dict[str, StoredPlan] | None = None
        self._plan_store: PlanStore | None = None
        self._last_snapshot: Snapshot | None = None
        """The running config when a plan was last looked up."""
        self._lock = RLock()

    def propose_plan(
        self,
        proposal: Proposal,
        by: Requester,
        examples: tuple[Example, ...] = (),
        *,
        privileged: bool = False,
    ) -> ConfigPlan:
        """Create a pending plan, with its proof, from a proposal; the config is not changed.

        Raises:
            ConfigError: the result would be invalid; the message says what to do.
            StaleConfig: the file on disk is invalid.
            NotAllowed: too many plans are pending.
        """
        check_pending_limit(
            [plan.requested_by for plan in self.list_plans() if plan.status == "pending"], by
        )
        # the caller waits for this plan; gestures played for earlier plans would delay the proof
        with self._prover.pause_gestures():
            drafted, stored = self._draft_plan(proposal, by, examples, privileged=privileged)
        plan = stored.plan
        with self._lock:
            self._save_and_publish_plan(stored)
        if drafted.kind == "config":
            self._play_gestures(plan.plan_id, drafted)
        return plan

    def get_plan(self, plan_id: str, by: Requester | None = None) -> ConfigPlan:
        """Return the plan with this id; if `by` is given, check that this caller may see the plan.

        Raises:
            UnknownPlan: no plan has this id.
            NotAllowed: another program proposed it.
        """
        plan = self._find_stored_plan(plan_id, by).plan
        if by is not None:
            require_viewable_plan(plan, by, self._runs)
        return plan

    def get_stored_plan(self, plan_id: str) -> StoredPlan:
        """Return the plan with this id and its changes, or raise `UnknownPlan`."""
        return self._find_stored_plan(plan_id)

    def list_stored_plans(self) -> list[StoredPlan]:
        """Return all plans with the changes that they would make, newest first."""
        with self._lock:
            return [
                self._find_stored_plan(plan_id) for plan_id in reversed(list(self._load_plans()))
            ]

    def list_plans(self, by: Requester | None = None) -> list[ConfigPlan]:
        """Return all stored plans, newest first.

        With `by`, return only the plans that this caller may see. An anonymous client sees none, because
        another client may have proposed the plans under the same name.
        """
        if by is not None and by.is_anonymous:
            return []
        plans = [stored.plan for stored in self.list_stored_plans()]
        return [plan for plan in plans if by is None or can_view_plan(plan, by, self._runs)]

    def approve_plan(
        self, plan_id: str, by: Requester, shown: str = "", base_hash: str | None = None
    ) -> ConfigPlan:
        """Record that the user has approved a plan, together with a digest of the approval form.

        `base_hash` is the hash of the config for which the user has seen the proof; None if it was not shown.

        Raises:
            StaleConfig: the plan was proved again for another config since the user saw its proof.
            NotAllowed: this caller may not approve the plan.
            ExamplesFailed: the plan does not do what its examples expect.
        """
        with self._lock:
            stored = self._find_stored_plan(plan_id)
            plan = stored.plan
            self._require_may_approve(plan, by, shown)
            if plan.status in ("approved", "applied"):
                return plan
            require_open_plan(plan)
            if base_hash is not None:
                require_shown_proof(plan, base_hash)
            failed = [result for result in plan.examples if not result.passed]
            if failed:
                names = ", ".join(f"`{result.example.name}`" for result in failed)
                raise ExamplesFailed(
                    f"the plan does not do what its examples expect: {names}; propose another one"
                )
            digest = hash_bytes(shown.encode()) if by.caller == "mcp" else None
            return self._set_status(stored, "approved", approved_by=by, shown_digest=digest)

    def reject_plan(self, plan_id: str, by: Requester, reason: str = "") -> ConfigPlan:
        """Reject a plan, which can then no longer be approved or applied."""
        with self._lock:
            stored = self._find_stored_plan(plan_id, by)
            require_own_plan(stored.plan, by, self._runs)
            if stored.plan.status == "rejected":
                return stored.plan
            require_open_plan(stored.plan)
            words = f"rejected by {by.describe_briefly()}" + (f": {reason}" if reason else "")
            return self._set_status(stored, "rejected", reason=words[:500])

    def mark_plan_edited(self, plan_id: str, by: Requester, result_hash: str) -> ConfigPlan:
        """Record that the user has saved one change of a plan in edited form, as a config with this hash."""
        with self._lock:
            stored = self._find_stored_plan(plan_id, by)
            require_usable_plan(stored.plan, by)
            reason = format_edited_reason(len(stored.change_list))
            return self._set_status(stored, "rejected", reason=reason, result_hash=result_hash)

    def apply_plan(self, plan_id: str, by: Requester) -> ConfigPlan:
        """Apply an approved plan completely or not at all.

        A plan that is already applied is returned unchanged.

        Raises:
            NotApproved, PlanExpired, PlanStale, NotAllowed: the plan cannot be applied; the message says what
                to do.
        """
        with self._lock:
            stored = self._find_stored_plan(plan_id, by)
            plan = stored.plan
            require_own_plan(plan, by, self._runs)
            if plan.status in ("applied", "unknown"):
                return plan
            require_open_plan(plan)
            if plan.status != "approved":
                raise NotApproved(f"plan {plan_id} waits for the user: {format_approve_hint(plan)}")
            if plan.kind == "sysex":
                raise InvalidParams("call conductor_send_sysex again, with its token, to send it")
            if self._locked_because is not None:
                raise NotAvailable(self._locked_because)
            return self._apply_stored(stored)

    def apply_plan_part(
        self, plan_id: str, selected: Collection[int], by: Requester, base_hash: str
    ) -> ConfigPlan:
        """Apply only the selected changes of a plan, given by their indexes, to the config with the hash
        `base_hash`. The plan then describes these changes, with their own proof, and lists the others in
        `left_out`. It need no longer be open: its changes are proved again.

        Raises:
            NotAllowed: only the user can select changes.
            InvalidParams: the plan has no such changes.
            StaleConfig: the config has changed since the user saw what the changes do.
        """
        with self._lock:
            stored = self._find_stored_plan(plan_id, by)
            require_usable_plan(stored.plan, by)
            if self._locked_because is not None:
                raise NotAvailable(self._locked_because)
            require_known_changes(selected, len(stored.change_list))
            part = self._draft_part(stored, set(selected), by, base_hash)
            self._store_plan(part, save=True)  # before the change: it names what is being applied
            return self._apply_stored(part)

    def _draft_part(
        self, stored: StoredPlan, selected: set[int], by: Requester, base_hash: str
    ) -> StoredPlan:
        """Return the plan with the selected changes alone, and with the proof of these changes."""
        plan = stored.plan
        self._store.require_hash(base_hash)
        changes = tuple(stored.change_list[index] for index in sorted(selected))
        examples = tuple(result.example for result in plan.examples)
        _, part = self._draft_plan(changes, plan.requested_by, examples, privileged=plan.privileged)
        described = describe_plan_part(plan, part.plan, selected, by)
        return part.model_copy(update={"plan": described})

    def record_plan_outcome(self, plan_id: str, reason: str | None) -> None:
        """Record the outcome of a plan with the status `unknown`: `reason` is the error message, or None on
        success.
        """
        with self._lock:
            stored = self._load_plans().get(plan_id)
            if stored is not None and stored.plan.status == "unknown":
                self._set_status(stored, "applied" if reason is None else "failed", reason=reason)

    def wait_until_idle(self) -> None:
        """Wait until no plan is being applied, for example before the app exits."""
        with self._lock:  # applying a plan holds this lock
            return

    def mark_plan_used(self, plan_id: str, by: Requester) -> ConfigPlan:
        """Mark an approved plan as applied, directly before the caller performs the plan's action itself."""
        with self._lock:
            stored = self._find_stored_plan(plan_id, by)
            require_own_plan(stored.plan, by, self._runs)
            require_open_plan(stored.plan)
            if stored.plan.status != "approved":
                raise NotApproved(
                    f"plan {plan_id} waits for the user: {format_approve_hint(stored.plan)}"
                )
            return self._set_status(stored, "applied")

    def _apply_stored(self, stored: StoredPlan) -> ConfigPlan:
        plan = stored.plan
        try:
            if plan.kind == "config":
                self._commit_changes(stored)
            else:
                # Saved before the action: after a crash the plan is neither repeated nor reported as done.
                started = self._set_status(stored, "unknown", reason=UNKNOWN_OUTCOME_REASON)
                if not self._perform(stored):
                    return started
        except StaleConfig as error:
            self._set_status(stored, "stale", reason=str(error))
            raise PlanStale(
                f"the config changed since plan {plan.plan_id} was made; propose it again"
            ) from error
        except ConductorError as error:
            self._set_status(stored, "failed", reason=str(error)[:500])
            raise
        done = self._set_status(stored, "applied")
        if plan.examples:
            examples = tuple(result.example for result in plan.examples)
            self._prover.store_examples(plan.plan_id, examples, self._store.current_config)
        return done

    def _commit_changes(self, stored: StoredPlan) -> None:
        plan = stored.plan
        self._store.reload_file()
        if self._is_already_applied(stored):
            return
        base, author = plan.base_state_hash, plan.get_author()
        if stored.step == "restore":
            self._store.replace_text(stored.new_text, plan.description, base, author)
            return
        if stored.step is not None:
            self._store.undo_or_redo(stored.step, stored.new_text, base)
            return
        self._store.commit_changes(stored.change_list, base, plan.description, author)

    def _is_already_applied(self, stored: StoredPlan) -> bool:
        """Return whether the config file already has the plan's result, because of a crash after the change."""
        return not self._store.problems and self._store.config_hash == hash_bytes(
            stored.new_text.encode()
        )

    def _draft_plan(
        self, proposal: Proposal, by: Requester, examples: tuple[Example, ...], *, privileged: bool
    ) -> tuple[PlanDraft, StoredPlan]:
        self._store.reload_file()
        if self._store.problems:
            mistake = self._store.problems[0].format()
            raise StaleConfig(f"config.toml on disk has a mistake ({mistake}); fix it first")
        with self._lock:
            self._rebase_plans()  # remembers the config that this plan is for
        snapshot = self._store.snapshot
        drafted = build_draft(proposal, snapshot, self._store, self._read_names())
        created = self._now()
        plan = ConfigPlan(
            plan_id=str(uuid.uuid4()),
            kind=drafted.kind,
            status="pending",
            description=drafted.description,
            changes=drafted.rows,
            diff_preview=drafted.diff,
            base_state_hash=snapshot.hash,
            created_at=created,
            expires_at=find_expiry_time(drafted.kind, by, created, self._ttl_s),
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

    def _require_may_approve(self, plan: ConfigPlan, by: Requester, shown: str) -> None:
        if by.is_user:
            return
        by_form = (
            by.caller == "mcp"
            and is_own_plan(plan, by, self._runs)
            and can_approve_in_form(plan, by, self._store.current_config.llm.mcp)
            and hash_bytes(shown.encode()) == hash_bytes(format_approval_text(plan).encode())
        )
        if not by_form:
            why = f" ({'; '.join(plan.window_only)})" if plan.window_only else ""
            raise NotAllowed(
                f"only the user can approve plan {plan.plan_id}{why}: {format_approve_hint(plan)}"
            )

    def _find_stored_plan(self, plan_id: str, by: Requester | None = None) -> StoredPlan:
        """Return the plan with an id, or with the start of an id if only one plan has it.

        A plan past its expiry time is marked as expired. A pending plan without one is marked as stale if it is
        not for the running config and could not be moved to it.
        """
        with self._lock:
            self._rebase_plans()
            plans = self._load_plans()
            stored = plans.get(plan_id)
            if stored is None and len(plan_id) >= SHORT_ID_LENGTH:
                matches = [plan for name, plan in plans.items() if name.startswith(plan_id)]
                stored = matches[0] if len(matches) == 1 else None
            if stored is None:
                raise UnknownPlan(f"no plan has the id `{plan_id[:60]}`; list the plans to find it")
            if by is not None:
                require_full_plan_id(stored.plan, plan_id, by)
            plan = stored.plan
            if plan.expires_at is None:
                # an approved plan is being applied, which changes the config
                is_stale = plan.base_state_hash != self._store.config_hash
                ended = "stale" if plan.status == "pending" and is_stale else None
            else:
                is_late = self._now() >= plan.expires_at
                ended = "expired" if plan.status in OPEN_PLAN_STATUSES and is_late else None
            if ended is not None:
                self._set_status(stored, ended)
                return self._load_plans()[plan.plan_id]
            return stored

    def _rebase_plans(self) -> None:
        """Move open plans to the running config, if it has what they change as before."""
        last, now = self._last_snapshot, self._store.snapshot
        self._last_snapshot = now
        if last is None or last.hash == now.hash:
            return
        plans = tuple(self._load_plans().values())
        for stored, drafted in rebase_plans(plans, last, now, self._store, self._prove):
            self._save_and_publish_plan(stored)
            if drafted is not None:
                self._play_gestures(stored.plan.plan_id, drafted)

    def _load_plans(self) -> dict[str, StoredPlan]:
        if self._plans is None:
            try:
                self._plan_store = self._open_plans()
                self._plans = {stored.plan.plan_id: stored for stored in self._plan_store.load()}
            except NotAvailable as error:
                log.warning("plans cannot be stored and will be lost at exit: %s", error)
                self._plans = {}
        return self._plans

    def _play_gestures(self, plan_id: str, drafted: PlanDraft) -> None:
        self._prover.play_gestures(plan_id, drafted.old, drafted.new, self._add_coverage)

    def _add_coverage(self, plan_id: str, coverage: Coverage) -> bool:
        """Store the gesture coverage of a pending plan; return False if the plan has been decided, so that
        playing stops.
        """
        with self._lock:
            if plan_id not in self._load_plans():
                return False
            stored = self._find_stored_plan(plan_id)
            if stored.plan.status not in OPEN_PLAN_STATUSES:
                return False
            plan = stored.plan.model_copy(update={"coverage": coverage})
            self._store_plan(stored.model_copy(update={"plan": plan}), save=coverage.finished)
        self._on_coverage(plan_id, coverage)
        return True

    def _set_status(self, stored: StoredPlan, status: PlanStatus, **fields: Any) -> ConfigPlan:
        plan = stored.plan.model_copy(update={"status": status, **fields})
        self._save_and_publish_plan(stored.model_copy(update={"plan": plan}))
        return plan

    def _save_and_publish_plan(self, stored: StoredPlan) -> None:
        self._store_plan(stored, save=True)
        self._on_change(stored.plan)

    def _store_plan(self, stored: StoredPlan, *, save: bool) -> None:
        plans = self._load_plans()
        plans[stored.plan.plan_id] = stored
        while len(plans) > MAX_STORED_PLANS:
            del plans[next(iter(plans))]
        try:
            if save and self._plan_store is not None:
                self._plan_store.save(stored)
        except NotAvailable as error:
            log.warning("plan %s could not be stored: %s", stored.plan.plan_id, error)
