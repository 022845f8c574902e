import { createDialog, createForm, h, labelled, openOnce, setAttr, setText } from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { t } from "../texts/i18n.js";
import { normalized } from "../texts/normalized.js";
import { characterKeysAreOn, setCharacterKeys } from "../browser/keys.js";

/** The dialogs that keys open: the list of keys, and the input for the name of a cell. They are imported when they are wanted. */

/** @import { Key } from "../texts/i18n.js" */

/** The list of keys, and the switch for those of one character. */

/** @type {readonly [keys: readonly string[], meaning: Key][]} */
const KEYS = [
  [["/"], "keys.cell"],
  [["←", "↑", "→", "↓"], "keys.board"],
  [["Enter", "Space"], "keys.play"],
  [["Page Up", "Page Down"], "keys.layers"],
  [["Ctrl + Home", "Ctrl + End"], "keys.corners"],
  [["R"], "keys.rematch"],
  [["M"], "keys.sound"],
  [["←", "→"], "keys.step"],
  [["Home", "End"], "keys.ends"],
  [["Esc"], "keys.close"],
  [["?"], "keys.help"],
];

/** Return what the device writes on the key of a letter, where the browser tells. @param {string} letter */
async function keyCap(letter) {
  const { keyboard } = /** @type {{keyboard?: {getLayoutMap: () => Promise<Map<string, string>>}}} */ (navigator);
  const layout = await keyboard?.getLayoutMap().catch(() => null);
  return layout?.get(`Key${letter}`)?.toUpperCase() ?? letter;
}

export async function openKeysDialog() {
  await loadStyleSheet("keys.css");
  if (document.querySelector(".keys-dialog")) return;
  const rows = KEYS.map(([keys, meaning]) =>
    h(
      "div",
      { class: "key-row" },
      h("dt", { dir: "ltr" }, ...keys.map((key) => h("kbd", { text: key }))),
      h("dd", { text: t(meaning) }),
    ),
  );
  for (const cap of rows.flatMap((row) => [...row.querySelectorAll("kbd")]))
    if (/^[A-Z]$/.test(cap.textContent ?? "")) void keyCap(cap.textContent ?? "").then((text) => setText(cap, text));
  const characters = h("input", { type: "checkbox", on: { change: () => setCharacterKeys(characters.checked) } });
  characters.checked = characterKeysAreOn();
  openOnce(
    createDialog(
      t("close"),
      { class: "dialog keys-dialog", "aria-labelledby": "keys-title" },
      h("h2", { id: "keys-title", text: t("keys.title") }),
      h("dl", { class: "key-list" }, ...rows),
      h("label", { class: "switch" }, characters, h("span", { text: t("keys.single") })),
    ),
  );
}

/** Open the input that takes the name of a cell and plays it: "b2", or "d" for a column with gravity. @param {import("../board/board.js").Board} board */
export function openCellDialog(board) {
  const input = h("input", {
    type: "text",
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
    if (board.playNamed(normalized(input.value).toLowerCase())) {
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
