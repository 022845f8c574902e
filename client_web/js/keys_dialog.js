import { button, h } from "./dom.js";
import { t } from "./i18n.js";
import { characterKeysAreOn, setCharacterKeys } from "./keys.js";

/** The list of keys, and the switch for those of one character. */

/** @typedef {import("./i18n.js").Key} Key */
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

export function openKeysDialog() {
  if (document.querySelector(".keys-dialog")) return;
  const rows = KEYS.map(([keys, meaning]) =>
    h(
      "div",
      { class: "key-row" },
      h("dt", { dir: "ltr" }, ...keys.map((key) => h("kbd", { text: key }))),
      h("dd", { text: t(meaning) }),
    ),
  );
  const characters = h("input", { type: "checkbox", on: { change: () => setCharacterKeys(characters.checked) } });
  characters.checked = characterKeysAreOn();
  const dialog = h(
    "dialog",
    { class: "dialog keys-dialog", "aria-labelledby": "keys-title", on: { close: () => dialog.remove() } },
    h("h2", { id: "keys-title", text: t("keys.title") }),
    h("dl", { class: "key-list" }, ...rows),
    h("label", { class: "switch" }, characters, h("span", { text: t("keys.single") })),
    button(t("close"), () => dialog.close()),
  );
  document.body.append(dialog);
  dialog.showModal();
}
