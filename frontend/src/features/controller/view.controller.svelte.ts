/** View model of the Controller view: the selected device, mode and control. */
import { untrack } from "svelte";
import { errorMessage } from "$lib/client/client";
import type { TriggerInput, VirtualLayout } from "$lib/client/types";
import { modeScope, parseScope, profileScope } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { deviceName } from "$lib/state/devices.svelte";
import { controlClass } from "$lib/state/monitor.svelte";
import type { State } from "$lib/state/state";
import { deviceLabel } from "$ui/notes.svelte";
import type { Option } from "$ui/types";
import { PictureController } from "./picture.controller.svelte";
import { gamepadPicture } from "./gamepad";
import { KEYCAPS, loadKeycaps } from "./keys";
import { buildLabels, rowsInMode, type Label } from "./labels";
import { LiveControls, type ControlState } from "./live.svelte";
import { withOwnNames } from "./own-names";
import { gridPicture, findControls, virtualPicture, type Part, type Picture } from "./picture";
import { findBank, banksOf, profilePicture } from "./profile";
import { Player } from "./player.svelte";
import { triggerOfPart } from "./trigger";
import { strings } from "./strings";

const VIRTUAL = "virtual";
const GAMEPAD_CLASSES = ["button", "axis", "gamepad_trigger"];

export class ControllerViewController {
  /** The view model of the picture, with its selection. */
  readonly pictureController: PictureController;
  /** The layout of the virtual controller; null: not loaded yet. */
  layout = $state.raw<VirtualLayout | null>(null);
  /** The reason why the layout could not be loaded; null: no error. */
  error = $state<string | null>(null);
  /** The labels of the computer keys that play the controls. */
  private keycaps = $state.raw(KEYCAPS);
  private chosenDevice = $state<string | null>(null);
  private chosenScope = $state<string | null>(null);
  /** The devices to choose from. */
  readonly options: Option[];
  /** The id of the displayed device. */
  readonly device: string;
  /** Whether the virtual controller is shown. */
  readonly isVirtual: boolean;
  /** The scope whose mappings label the picture: a mode, or an app profile over a mode. */
  readonly scope: string;
  /** The mode whose mappings label the picture. */
  readonly mode: string;
  /** The drawing of the device; null while the layout is loaded. */
  readonly picture: Picture | null;
  /** The label of each part in the mode, by part id. */
  readonly labels: ReadonlyMap<string, Label>;
  /** The selected part. */
  readonly part: Part | null;
  /** The last event of the selected part. */
  readonly controlState: ControlState | undefined;
  /** The trigger that a new mapping of the selected part starts with. */
  readonly trigger: TriggerInput | null;
  /** The variants of the device profile; empty when there is no choice. */
  readonly variants: Option[];
  /** The id of the displayed variant. */
  readonly variant: string;
  /** The banks of the variant; empty when the variant has none. */
  readonly banks: string[];
  private readonly isNarrow: () => boolean;
  private chosenBank = $state<string | null>(null);
  /** The displayed bank. */
  readonly bank: string | null;
  /** The device profile and its variant; null for the virtual controller. */
  private readonly activeProfile;

  /**
   * @param options.alwaysPlays whether the virtual controller plays although Play is off
   * @param options.device returns the device to show, in place of the one that the user chose
   * @param options.isNarrow returns whether the picture is shown in a narrow panel
   * @param options.isStill whether the picture neither plays nor shows what is played
   * @param options.scope returns the scope that labels the picture, in place of the chosen one
   * @param options.rows returns the mappings to show, in place of those of the running config
   */
  constructor(
    private readonly app: State,
    {
      alwaysPlays = false,
      device,
      isNarrow = () => false,
      isStill = false,
      scope = () => null,
      rows: rowsOf = () => app.config.rows,
    }: {
      alwaysPlays?: boolean;
      device?: () => string;
      isNarrow?: () => boolean;
      isStill?: boolean;
      scope?: () => string | null;
      rows?: () => readonly PlacedRow[];
    } = {},
  ) {
    this.isNarrow = isNarrow;
    const { client, config, modes, monitor, ui } = app;
    const live = new LiveControls(client, monitor);
    this.pictureController = new PictureController(
      live,
      new Player(client, (text) => ui.toast(text, { tone: "error" })),
      isStill,
    );
    this.chosenDevice = ui.pref("controller.device", "") || null;
    this.options = $derived(this.deviceOptions());
    this.device = $derived(
      device
        ? device()
        : this.options.some((one) => one.value === this.chosenDevice)
          ? this.chosenDevice!
          : this.defaultDevice(),
    );
    this.isVirtual = $derived(this.device === VIRTUAL);
    const profile = $derived(
      config.profiles.find(({ name }) => profileScope(name) === (scope() ?? this.chosenScope)),
    );
    const given = $derived(parseScope(scope() ?? ""));
    this.mode = $derived(
      (given.kind === "mode" && given.name) ||
        config.modes.find(({ name }) => modeScope(name) === this.chosenScope)?.name ||
        profile?.mode ||
        modes.current ||
        config.view?.start_mode ||
        "",
    );
    this.scope = $derived(profile ? profileScope(profile.name) : modeScope(this.mode));
    const known = $derived(this.isVirtual ? null : app.profiles.activeVariant(this.device));
    this.activeProfile = (): typeof known => known;
    this.variants = $derived(
      known && known.profile.variants.length > 1
        ? known.profile.variants.map((one) => ({ value: one.id, label: one.name, hint: one.when }))
        : [],
    );
    this.variant = $derived(known?.variant.id ?? "");
    this.banks = $derived(known ? banksOf(known.variant) : []);
    this.bank = $derived(
      this.banks.find((one) => one === this.chosenBank) ?? this.banks[0] ?? null,
    );
    const drawn = $derived(this.buildPicture());
    this.picture = $derived(
      drawn && withOwnNames(drawn, config.config?.settings.names?.[this.device]),
    );
    const rows = $derived(
      rowsInMode(
        rowsOf(),
        this.mode,
        profile?.name ?? (this.mode === modes.current ? app.app.status.profile : null),
      ),
    );
    this.labels = $derived(
      this.picture ? buildLabels(this.picture, rows, config.losers) : new Map(),
    );
    this.part = $derived(
      this.picture?.parts.find((part) => part.id === this.pictureController.selected) ?? null,
    );
    this.controlState = $derived(
      this.part
        ? this.part.controls
            .map((control) => live.stateOf(this.device, control))
            .filter((one) => one !== undefined)
            .sort((a, b) => b.sequence - a.sequence)[0]
        : undefined,
    );
    this.trigger = $derived(this.part ? triggerOfPart(this.part, this.device) : null);
    $effect(() => {
      // A control that exists in one bank only shows which bank is active.
      const touch = app.monitor.touched;
      if (!known || touch?.device !== this.device) return;
      const control = {
        control_class: controlClass(touch) as Part["controls"][number]["control_class"],
        number: touch.number,
        channel: touch.channel || null,
      };
      const other = untrack(() => findBank(known.variant, control, this.bank));
      if (other) this.chosenBank = other;
    });
    $effect(() => {
      this.pictureController.picture = this.picture;
      this.pictureController.plays =
        !isStill && this.isVirtual && (alwaysPlays || ui.pref("controller.plays", true));
    });
  }

  start(): () => void {
    void this.load();
    void loadKeycaps().then((keycaps) => (this.keycaps = keycaps));
    const stop = this.pictureController.live.start();
    return () => {
      stop();
      this.pictureController.releaseAll();
    };
  }

  async load(): Promise<void> {
    try {
      this.layout = await this.app.client.call("virtual.layout");
      this.error = null;
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  selectPart(part: Part): void {
    this.pictureController.selected = part.id;
  }
  clearSelection(): void {
    this.pictureController.selected = null;
  }
  setDevice(device: string): void {
    this.showDevice(device);
    this.app.ui.setPref("controller.device", device);
  }
  /** Show a device without remembering it. */
  showDevice(device: string): void {
    if (device === this.device) return;
    this.pictureController.releaseAll();
    this.chosenDevice = device;
  }
  setVariant(variant: string): void {
    const profile = this.activeProfile()?.profile;
    if (profile) this.app.profiles.chooseVariant(profile.id, variant);
  }
  setBank(bank: string): void {
    this.chosenBank = bank;
  }
  setScope(scope: string): void {
    this.chosenScope = scope;
  }
  /** Show the active mode until the user chooses another one. */
  followMode(): void {
    this.chosenScope = null;
  }
  setPlays(plays: boolean): void {
    this.pictureController.releaseAll();
    this.app.ui.setPref("controller.plays", plays);
  }

  /** Return the first connected device, or the virtual controller. */
  private defaultDevice(): string {
    const connected = this.app.devices.controllers.find((one) => one.connected);
    return (
      this.options.find((one) => one.value === connected?.device_id)?.value ??
      this.options.at(-1)?.value ??
      VIRTUAL
    );
  }

  /** List connected devices first, then disconnected ones, then the virtual controller. */
  private deviceOptions(): Option[] {
    const { config, devices } = this.app;
    const inputs = devices.devices.filter((one) =>
      ["midi_input", "gamepad", "osc"].includes(one.kind),
    );
    const inputOptions = inputs.map((one): Option => ({
      value: one.device_id,
      label: deviceName(one),
      hint: one.connected ? (one.is_configured ? one.port_name : "") : strings.notConnected,
    }));
    const known = new Set(inputOptions.map((one) => one.value));
    const aliasOptions = devices.aliases
      .filter((one) => !known.has(one.alias))
      .map((one): Option => ({ value: one.alias, label: one.alias, hint: strings.notConnected }));
    const off = config.config?.settings.engine.virtual_controller === "off";
    return [
      ...inputOptions,
      ...aliasOptions,
      ...(off && inputOptions.length + aliasOptions.length
        ? []
        : [{ value: VIRTUAL, label: deviceLabel(VIRTUAL), hint: strings.builtIn }]),
    ];
  }

  private buildPicture(): Picture | null {
    if (this.isVirtual)
      return this.layout ? virtualPicture(this.layout, this.keycaps, this.isNarrow()) : null;
    const { config, devices } = this.app;
    const refs = config.rows.flatMap((row) => row.words.controls);
    const events = this.pictureController.live.events;
    const title = this.options.find((one) => one.value === this.device)?.label ?? this.device;
    const seen = findControls(this.device, refs, events, controlClass);
    const kind = devices.devices.find((one) => one.device_id === this.device)?.kind;
    const isGamepad = kind
      ? kind === "gamepad"
      : seen.length > 0 && seen.every((one) => GAMEPAD_CLASSES.includes(one.control_class));
    const known = this.activeProfile();
    const drawn =
      known && !isGamepad
        ? profilePicture(this.device, known.profile, known.variant, this.bank, seen)
        : null;
    if (drawn) return drawn;
    return isGamepad
      ? gamepadPicture(
          this.device,
          title,
          seen.map((one) => String(one.number)),
        )
      : gridPicture(this.device, title, seen);
  }
}
