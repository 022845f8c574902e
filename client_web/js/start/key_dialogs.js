import { createDialog, h, openOnce, setText } from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { t } from "../texts/i18n.js";
import { characterKeysAreOn, setCharacterKeys } from "../browser/keys.js";

/** The dialog with the list of keys, and the switch for those of one character. */

/** @import { Key } from "../texts/i18n.js" */

/** @type {readonly [keys: readonly string[], meaning: Key][]} */
const KEYS = [
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
