import { createDialog, createForm, h, labelled, openOnce, setAttr, setText } from "../browser/dom.js";
import { t } from "../texts/i18n.js";

/** An input that takes the name of a cell and plays it: "b2", or "d" for a column with gravity. */

/**
 * @typedef {{hasGravity: boolean, playNamed: (name: string) => boolean}} NamedCells  a board that plays cells by name
 */

/** @param {NamedCells} board */
export function openCellDialog(board) {
  const input = h("input", {
    type: "text",
    maxlength: 8,
    dir: "ltr",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
    "aria-describedby": "cell-note",
  });
  const note = h("p", {
    id: "cell-note",
    class: "secondary",
    role: "status",
    text: t(board.hasGravity ? "cell.entry.column" : "cell.entry.how"),
  });
  function submit() {
    if (board.playNamed(input.value)) {
      dialog.close();
      return;
    }
    setText(note, t("cell.entry.wrong", { cell: input.value.trim() }));
    setAttr(input, "aria-invalid", "true");
    input.select();
  }
  const form = createForm(
    {},
    submit,
    labelled(t("cell.entry"), input),
    h("button", { type: "submit", class: "primary", text: t("cell.entry.play") }),
  );
  const title = h("h2", { id: "cell-title", text: t("keys.cell") });
  const dialog = createDialog(t("close"), { "aria-labelledby": "cell-title" }, title, form, note);
  openOnce(dialog);
  input.focus();
}
