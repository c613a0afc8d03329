/** View model of the Devices view: the list of devices, the selected one, and its changes. */
import { ApiError, errorMessage } from "$lib/client/client";
import type { ChangeInput, EventView, Matcher } from "$lib/client/types";
import { controlKey } from "$lib/state/monitor.svelte";
import { isForDevice } from "$lib/state/config.svelte";
import type { State } from "$lib/state/state";
import {
  buildEntries,
  describeEvent,
  matcherFor,
  type DeviceEntries,
  type DeviceEntry,
} from "./entries";
import { strings } from "./strings";

/** The newest input of a device. */
export interface LastInput {
  sequence: number;
  text: string;
  /** The Unix time in ms. */
  at: number;
}

export class DevicesController {
  search = $state("");
  /** The key or id of the device that the user chose. */
  chosen = $state("");
  scanning = $state(false);
  /** All devices, whether the search matches them or not. */
  readonly groups: DeviceEntries;
  readonly inputs: DeviceEntry[];
  readonly disconnected: DeviceEntry[];
  readonly outputs: string[];
  /** The devices of the list, in its order. */
  readonly visible: DeviceEntry[];
  readonly selected: DeviceEntry | undefined;
  /** The names that are in use. */
  readonly taken: string[];
  /** The newest input of each device, by its id. */
  readonly lastInputs: ReadonlyMap<string, LastInput>;
  /** The number of mappings of the selected device, as the Mappings view shows them. */
  readonly rowCount: number;
  /** The identical device with which the selected one can swap names. */
  readonly otherUnit: DeviceEntry | undefined;
  /** The Unix time in ms at which the engine's clock was 0. */
  private epoch_ms = $state(0);

  constructor(private readonly app: State) {
    const { config, devices, monitor } = app;
    this.groups = $derived(buildEntries(devices.devices, devices.aliases, app.app.status.muted));
    const found = (text: string): boolean =>
      text.toLowerCase().includes(this.search.trim().toLowerCase());
    const filterEntries = (list: DeviceEntry[]): DeviceEntry[] =>
      list.filter((one) => found(`${one.title} ${one.port} ${one.id}`));
    this.inputs = $derived(filterEntries(this.groups.inputs));
    this.disconnected = $derived(filterEntries(this.groups.disconnected));
    this.outputs = $derived(devices.outputs.filter(found));
    this.visible = $derived([...this.inputs, ...this.disconnected]);
    this.selected = $derived(
      this.visible.find((one) => one.key === this.chosen) ??
        this.visible.find((one) => one.id === this.chosen) ??
        this.visible[0],
    );
    this.taken = $derived(devices.aliases.map((alias) => alias.alias));
    this.rowCount = $derived.by(() => {
      const device = this.selected?.id;
      return device ? config.rows.filter((row) => isForDevice(row, device)).length : 0;
    });
    this.otherUnit = $derived(
      this.selected?.alias && this.selected.unitCount > 1
        ? this.identicalUnits(this.selected).find(
            (one) => one.alias && one.id !== this.selected?.id,
          )
        : undefined,
    );
    this.lastInputs = $derived.by(() => {
      const newest = new Map<string, { event: EventView; sequence: number }>();
      for (const one of [...monitor.traces, ...monitor.latest.values()])
        if (controlKey(one.event) && one.sequence >= (newest.get(one.event.device)?.sequence ?? 0))
          newest.set(one.event.device, one);
      const names = config.config?.settings.ui.note_names;
      return new Map(
        [...newest].map(([device, { event, sequence }]): [string, LastInput] => {
          const text = describeEvent(event, names);
          return [device, { sequence, text, at: event.time * 1000 + this.epoch_ms }];
        }),
      );
    });
  }

  /** Load recent input, and subscribe to new input. Returns a function that unsubscribes. */
  start(): () => void {
    this.app.monitor.loadRecent().then(
      (epoch) => (this.epoch_ms = epoch * 1000),
      () => {}, // Only the time of the last input is unknown then.
    );
    return this.app.monitor.watch();
  }

  /** Return the devices of the same kind with the same port name. */
  identicalUnits(entry: DeviceEntry | null): DeviceEntry[] {
    return entry
      ? this.groups.inputs.filter((one) => one.kind === entry.kind && one.port === entry.port)
      : [];
  }

  async rescan(): Promise<void> {
    const { app, devices } = this.app;
    this.scanning = true;
    await app.attempt(async () => {
      await devices.rescan();
      await devices.load();
    }, strings.scannedForDevices);
    this.scanning = false;
  }

  async nameDevice(entry: DeviceEntry, alias: string): Promise<boolean> {
    const done = await this.app.config.apply(
      [{ change_type: "CreateDevice", device: { alias, matchers: [matcherFor(entry)] } }],
      () => strings.named(entry.port, alias),
    );
    if (done) this.chosen = alias;
    return done;
  }

  async rename(entry: DeviceEntry, new_alias: string): Promise<void> {
    const done = await this.app.config.apply(
      [{ change_type: "UpdateDevice", alias: entry.id, new_alias }],
      () => strings.renamed(entry.id, new_alias),
    );
    if (done) this.chosen = new_alias;
  }

  async setNote(entry: DeviceEntry, description: string): Promise<void> {
    await this.app.config.apply(
      [{ change_type: "UpdateDevice", alias: entry.id, description }],
      () => strings.noteChanged(entry.id),
    );
  }

  /** Change how a device is recognised. Returns the errors by field, or null. */
  async setMatchers(
    entry: DeviceEntry,
    matchers: Matcher[],
  ): Promise<Record<string, string> | null> {
    const index =
      entry.alias?.matchers.length === matchers.length
        ? matchers.findIndex((one, at) => one !== entry.alias?.matchers[at])
        : matchers.length - 1;
    try {
      await this.app.config.commit(
        [{ change_type: "UpdateDevice", alias: entry.id, matchers }],
        () => strings.matchersChanged(entry.id),
      );
      return null;
    } catch (error) {
      const under = error instanceof ApiError ? Object.entries(error.fields) : [];
      const found = under.map(
        ([path, message]) => [path.split(".").at(-1) ?? "", message] as const,
      );
      return found.length && index >= 0 ? Object.fromEntries(found) : { "": errorMessage(error) };
    }
  }

  async removeName(entry: DeviceEntry): Promise<void> {
    const { config, ui } = this.app;
    const used = config.rows.filter((row) => row.words.device === entry.id).length;
    const yes =
      !used ||
      (await ui.confirm({
        title: strings.removeNameOf(entry.id),
        text: strings.removeNameWarning(used),
        confirm: strings.removeName,
        danger: true,
      }));
    if (yes)
      await config.apply([{ change_type: "DeleteDevice", alias: entry.id }], () =>
        strings.nameRemoved(entry.id),
      );
  }

  async swapUnits(one: DeviceEntry, other: DeviceEntry): Promise<void> {
    const changes: ChangeInput[] = [
      { change_type: "UpdateDevice", alias: one.id, matchers: other.alias!.matchers },
      { change_type: "UpdateDevice", alias: other.id, matchers: one.alias!.matchers },
    ];
    await this.app.config.apply(changes, () => strings.swapped(one.id, other.id));
  }
}
