/** View model of a controller picture: selection, and playing by pointer and keyboard. */
import type { LiveControls } from "./live.svelte";
import { findNeighbour, type Part, type Picture } from "./picture";
import { pressVelocity, type Player } from "./player.svelte";
import { faderValue, keyValue, knobValue } from "./value";
import { HARD_VELOCITY, MEDIUM_VELOCITY } from "./keys";

/** A pointer that is held down, with the position and value at its start. */
interface Drag {
  part: Part;
  x: number;
  y: number;
  from: number;
}

export class PictureController {
  /** The displayed picture. */
  picture = $state.raw<Picture | null>(null);
  /** The id of the selected part. */
  selected = $state<string | null>(null);
  /** The id of the part that has the keyboard focus, or had it last. */
  focused = $state<string | null>(null);
  /** Whether the pointer and the keys play the controls of the picture. */
  plays = $state(false);
  /**
   * Called when a part is selected, by Enter or Space or by the pointer; null: parts cannot be
   * selected.
   */
  onSelect: ((part: Part, byKey: boolean) => void) | null = null;
  /** Called when an action is dropped on a part; null: nothing can be dropped. */
  onDrop: ((part: Part, kind: string) => void) | null = null;
  /** The SVG element of the picture, which converts pointer positions. */
  svg: SVGSVGElement | null = null;
  /** The pointers that are held down, by pointer id. */
  private readonly drags = new Map<number, Drag>();

  constructor(
    readonly live: LiveControls,
    readonly player: Player,
    /** Whether the picture shows no state of now, since it is of another version of the config. */
    readonly isStill = false,
  ) {}

  pointerDown(event: PointerEvent & { currentTarget: SVGGElement }, part: Part): void {
    if (event.button !== 0) return;
    this.select(part, false);
    if (!this.plays || !part.play) return;
    const { x, y } = this.toPicturePoint(event);
    if (event.pointerId) event.currentTarget.setPointerCapture(event.pointerId);
    this.drags.set(event.pointerId, { part, x, y, from: this.currentValue(part) });
    if (part.kind === "fader") this.player.turn(part.play, faderValue(part, y));
    else if (part.kind !== "knob")
      this.player.press(
        part.play,
        part.kind === "pad" ? pressVelocity(y, part.y, part.h) : HARD_VELOCITY,
      );
  }

  pointerMove(event: PointerEvent, part: Part): void {
    const drag = this.drags.get(event.pointerId);
    if (!drag || drag.part !== part || !part.play) return;
    const { x, y } = this.toPicturePoint(event);
    if (part.kind === "fader") this.player.turn(part.play, faderValue(part, y));
    if (part.kind === "knob")
      this.player.turn(part.play, knobValue(drag.from, x - drag.x, y - drag.y));
  }

  pointerUp(event: PointerEvent): void {
    const drag = this.drags.get(event.pointerId);
    if (!drag?.part.play) return;
    this.drags.delete(event.pointerId);
    this.player.release(drag.part.play);
  }

  keyDown(event: KeyboardEvent, part: Part): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turns = this.plays && part.play && (part.kind === "knob" || part.kind === "fader");
    const to = turns ? keyValue(this.currentValue(part), event.key, event.shiftKey) : null;
    if (to !== null) this.player.turn(part.play!, to);
    else if (event.key === "Enter") {
      // Without a selection, Enter belongs to the view, which uses the control that was played.
      if (!this.onSelect) return;
      this.select(part, true);
    } else if (event.key === " ") {
      if (!this.plays || !part.play || turns) this.select(part, true);
      else if (!event.repeat)
        this.player.press(part.play, event.shiftKey ? HARD_VELOCITY : MEDIUM_VELOCITY);
    } else if (!this.moveFocus(event.key, part)) return;
    event.preventDefault();
  }

  keyUp(event: KeyboardEvent, part: Part): void {
    if (event.key === " " && part.play) this.player.release(part.play);
  }

  blur(part: Part): void {
    if (part.play && ![...this.drags.values()].some((drag) => drag.part === part))
      this.player.release(part.play);
  }

  /** Release all held controls, because the page lost the pointer or the keyboard. */
  releaseAll = (): void => {
    this.drags.clear();
    this.player.releaseAll();
  };

  private select(part: Part, byKey: boolean): void {
    if (this.onSelect) this.selected = part.id;
    this.focused = part.id;
    this.onSelect?.(part, byKey);
  }

  private moveFocus(key: string, part: Part): boolean {
    const next = this.picture && findNeighbour(this.picture.parts, part, key);
    if (!next) return key.startsWith("Arrow");
    this.svg?.querySelector<SVGGElement>(`[data-part="${CSS.escape(next.id)}"]`)?.focus();
    return true;
  }

  private currentValue(part: Part): number {
    const state = this.live.stateOf(this.picture?.device ?? "", part.controls[0]!);
    return this.player.positions.get(part.play ?? "") ?? (state ? state.value * 127 : 0);
  }

  private toPicturePoint({ clientX, clientY }: PointerEvent): { x: number; y: number } {
    const matrix = this.svg?.getScreenCTM?.()?.inverse();
    if (!matrix) return { x: clientX, y: clientY };
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
    return { x, y };
  }
}
