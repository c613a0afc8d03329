/** A text field whose value belongs to an object that is replaced while the user types. */
import { fireEvent, render, screen } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import TextFieldHost from "./TextFieldHost.svelte";

it("keeps what is typed until its value changes", async () => {
  const onCommit = vi.fn();
  const { rerender } = render(TextFieldHost, { row: { name: "pads" }, onCommit });
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });
  await fireEvent.input(field, { target: { value: "drums" } });
  await rerender({ row: { name: "pads" } });
  expect(field.value).toBe("drums");
  await fireEvent.change(field);
  expect(onCommit).toHaveBeenCalledWith("drums");
  await rerender({ row: { name: "keys" } });
  expect(field.value).toBe("keys");
});
