/** Remedies in an explanation: buttons that remove the reason why a mapping did not fire. */
import type { EventView, WhyNot } from "$lib/client/types";
import { parseScope, scopeFields } from "$lib/scopes";
import type { State } from "$lib/state/state";
import { nameInHistory } from "$ui";
import { strings } from "./strings";

export interface Remedy {
  label: string;
  run: () => void;
  /** Whether the button alone removes the reason, so that no advice is needed. */
  isWhole?: boolean;
  /** Whether the reason is removed already; the label then says so. */
  isDone?: boolean;
}

type RemedyContext = Pick<State, "app" | "config" | "devices" | "modes" | "ui">;

const done = (label: string): Remedy => ({ label, run: () => {}, isWhole: true, isDone: true });

/** Return the remedy for a reason; null when only another gesture helps. */
export function remedyFor(why: WhyNot, event: EventView, context: RemedyContext): Remedy | null {
  const { app, config, devices, modes, ui } = context;
  const { scope, index } = why;
  switch (why.kind) {
    case "muted":
      if (!app.status.muted.includes(event.device)) return done(strings.isUnmuted);
      return {
        label: strings.unmuteDevice,
        run: () => void devices.setEnabled(event.device, true),
        isWhole: true,
      };
    case "paused":
      if (!app.paused) return done(strings.isResumed);
      return {
        label: strings.resumeMappings,
        run: () => void app.setPaused(false),
        isWhole: true,
      };
    case "mode": {
      const { name } = parseScope(scope);
      if (name === modes.current) return done(strings.isInMode(name));
      return {
        label: strings.switchToMode(name),
        run: () => void modes.switch(name),
        isWhole: true,
      };
    }
    case "disabled": {
      const row = config.row(scope, index);
      if (row?.mapping.enabled === false)
        return {
          label: strings.switchOn,
          run: () =>
            void config.apply(
              [{ change_type: "UpdateMapping", ...scopeFields(scope), index, enabled: true }],
              () => strings.switchedOn(nameInHistory(row.mapping.description, row.words)),
            ),
          isWhole: true,
        };
      return parseScope(scope).kind === "profile"
        ? { label: strings.showProfile, run: () => ui.navigate("profiles") }
        : null;
    }
    case "profile":
      return { label: strings.showProfile, run: () => ui.navigate("profiles") };
    case "channel":
    case "device":
    case "velocity":
    case "value":
    case "condition":
    case "shadowed":
      return {
        label: strings.editMapping,
        run: () => ui.navigate("mappings", { kind: "row", scope, index }),
      };
    default:
      return null;
  }
}
