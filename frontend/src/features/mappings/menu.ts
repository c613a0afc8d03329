/** The context menu of the selected rows. */
import { scopeName } from "$lib/scopes";
import ArrowRightToLine from "@lucide/svelte/icons/arrow-right-to-line";
import ClipboardPaste from "@lucide/svelte/icons/clipboard-paste";
import Copy from "@lucide/svelte/icons/copy";
import CopyPlus from "@lucide/svelte/icons/copy-plus";
import Plus from "@lucide/svelte/icons/plus";
import Power from "@lucide/svelte/icons/power";
import Scissors from "@lucide/svelte/icons/scissors";
import Trash2 from "@lucide/svelte/icons/trash-2";
import type { MenuItem } from "$ui";
import type { MappingsController } from "./mappings.controller.svelte";
import { strings } from "./strings";

export function rowMenu(view: MappingsController): MenuItem[] {
  const nothingSelected = view.selectedRows.length === 0;
  const on = view.selectedRows.length > 0 && view.selectedRows.every((row) => row.mapping.enabled);
  return [
    {
      label: strings.newMappingHere,
      icon: Plus,
      onSelect: () => void view.editor.startDraft({}, view.insertPosition().scope),
    },
    { label: "", separator: true },
    {
      label: on ? strings.switchOff : strings.switchOn,
      icon: Power,
      shortcut: "space",
      disabled: nothingSelected,
      onSelect: () => void view.commands.toggle(),
    },
    {
      label: strings.duplicate,
      icon: CopyPlus,
      shortcut: "mod+d",
      disabled: nothingSelected,
      onSelect: () => void view.commands.duplicate(),
    },
    {
      label: strings.copy,
      icon: Copy,
      shortcut: "mod+c",
      disabled: nothingSelected,
      onSelect: () => view.commands.copy(),
    },
    {
      label: strings.cut,
      icon: Scissors,
      shortcut: "mod+x",
      disabled: nothingSelected,
      onSelect: () => view.commands.copy(true),
    },
    {
      label: strings.paste,
      icon: ClipboardPaste,
      shortcut: "mod+v",
      disabled: !view.commands.clipboard,
      onSelect: () => void view.commands.paste(),
    },
    ...moveItems(view, nothingSelected),
    { label: "", separator: true },
    {
      label: strings.delete,
      icon: Trash2,
      shortcut: "delete",
      danger: true,
      disabled: nothingSelected,
      onSelect: () => void view.commands.remove(),
    },
  ];
}

const MAX_MODES = 6;

function moveItems(view: MappingsController, nothingSelected: boolean): MenuItem[] {
  const others = view.scopes.filter((scope) =>
    view.selectedRows.some((row) => row.scope !== scope),
  );
  if (nothingSelected || !others.length) return [];
  const items = others.slice(0, MAX_MODES).map((scope) => ({
    label: strings.moveToNamedScope(scopeName(scope)),
    icon: ArrowRightToLine,
    onSelect: () => void view.commands.moveTo(scope, view.rowCounts()[scope] ?? 0),
  }));
  return [{ label: "", separator: true }, ...items];
}
