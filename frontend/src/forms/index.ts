/** Forms that are generated from the backend's JSON schemas. */
export { default as ActionPicker } from "./ActionPicker.svelte";
export { default as Candidates } from "./Candidates.svelte";
export { default as MappingTitle } from "./MappingTitle.svelte";
export { default as NameField } from "./NameField.svelte";
export { default as SilentSwitch } from "./SilentSwitch.svelte";
export { default as TakenNote } from "./TakenNote.svelte";
export { default as TestAction } from "./TestAction.svelte";
export { default as SchemaForm } from "./SchemaForm.svelte";
export { default as CurvePicture } from "./fields/CurvePicture.svelte";
export { errorsUnder, type Choices } from "./context";
export { applyCurve, curveLine } from "./curve";
export {
  BUTTONS,
  ccName,
  fieldName,
  kindKeywords,
  kindName,
  noteName,
  optionName,
  parseNote,
  type NoteNames,
} from "./names";
export { kindBesidePhrase } from "./phrases";
export { LearnSession } from "./learn-session.svelte";
export { FieldErrors } from "./field-errors.svelte";
export { missingArguments, namesOfFields } from "./problems";
export { groupOf } from "./rules";
export { initialValue, changeKind, rootSchema, shapeOf, type Root } from "./schema";
export { actionIcon } from "./icons";
export { editorKeys } from "./editor-keys";
export { confirmDiscard } from "./discard";
export { focusFirstField, focusQuestion } from "./focus";
export { TakenChoice, type Resolution } from "./taken.svelte";
export { gesturesForPress, withControl, withGesture, withoutGuess } from "./triggers";
export {
  COMMON_KINDS,
  actionForTrigger,
  fillMessage,
  initialAction,
  isUntouched,
} from "./initial-actions";
