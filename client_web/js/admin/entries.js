import { button, createForm, drawChildren, h, labelled, setText, show } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { mayGrow } from "./state.js";

/** The lists of the admin page. An entry opens to show what the operator may do about it. */

/** @import { OpenAdmin } from "./state.js" */

/** @typedef {(run: () => Promise<unknown>, done: string) => Promise<boolean>} Act does something, and says so */

/**
 * Create a section with a list of entries: a title, and a line about it. They are drawn again with each answer of the server.
 * @template T
 * @param {{title: string, empty: string, className?: string, itemsOf: (state: OpenAdmin) => readonly T[], keyOf: (item: T) => string,
 *   create?: (item: T) => HTMLElement, linesOf?: (item: T) => [string, string], totalOf?: (state: OpenAdmin, shown: number) => number, more?: () => void,
 *   pictureOf?: (item: T) => {element: Element, draw: (item: T) => void}|null, commandsOf?: (item: T) => readonly Node[]}} options
 *   `create` creates entries of another form. `commandsOf` creates what an entry shows when it is first opened, and `more` lists more entries
 */
export function createList({ title, empty, className = "", itemsOf, keyOf, create, totalOf, more, ...entry }) {
  const count = h("span", { class: "secondary" });
  const emptyNote = h("p", { class: "secondary", text: empty, hidden: true });
  const list = h("ul", { class: `admin-list ${className}`.trim() });
  const moreButton = button(t("admin.more"), () => more?.());

  return {
    element: h("section", { class: "card" }, h("h2", {}, title, " ", count), emptyNote, list, moreButton),
    /** @param {OpenAdmin} state */
    draw(state) {
      const items = itemsOf(state);
      const total = totalOf?.(state, items.length) ?? items.length;
      setText(count, total ? (total > items.length ? t("admin.part", { n: items.length, total }) : String(total)) : "");
      show(emptyNote, items.length === 0);
      show(list, items.length > 0);
      show(moreButton, Boolean(more) && mayGrow(state) && total > items.length);
      drawChildren(list, items, keyOf, create ?? ((item) => createEntry(item, entry)));
    },
  };
}

/** @template T @param {T} first @param {Pick<Parameters<typeof createList<T>>[0], "linesOf"|"pictureOf"|"commandsOf">} options */
function createEntry(first, { linesOf, pictureOf, commandsOf }) {
  const picture = pictureOf?.(first);
  const lines = [h("b", { translate: "no" }), h("span", { class: "secondary" })];
  const summary = [picture?.element, h("span", { class: "admin-text" }, ...lines)];
  const commands = h("div", { class: "admin-commands" });
  const details = commandsOf && h("details", {}, h("summary", {}, ...summary), commands);
  details?.addEventListener("toggle", () => {
    if (details.open && !commands.childElementCount) commands.append(...(commandsOf?.(first) ?? []));
  });
  return {
    element: h("li", {}, ...(details ? [details] : summary)),
    /** @param {T} item */
    draw(item) {
      picture?.draw(item);
      const texts = linesOf?.(item) ?? [];
      for (const [n, node] of lines.entries()) setText(node, texts[n] ?? "");
    },
  };
}

/** Create a form of one input and its button. @param {string} label @param {HTMLInputElement} input @param {string} word @param {() => unknown} onSubmit */
export const createInputForm = (label, input, word, onSubmit) =>
  createForm({ class: "admin-form" }, onSubmit, labelled(label, input), h("button", { type: "submit", text: word }));

/** Join the parts of a line. Each keeps its own direction, isolated by U+2068 and U+2069. @param {...(string|false)} parts */
export const line = (...parts) =>
  parts
    .filter(Boolean)
    .map((part) => `\u2068${part}\u2069`)
    .join("\u00a0·\u00a0");
