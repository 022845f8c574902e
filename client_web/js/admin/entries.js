import { button, drawChildren, h, setText, show } from "../browser/dom.js";
import { createConfirmed } from "../browser/confirmed.js";
import { t } from "../texts/i18n.js";

/** The lists of the admin page. An entry opens to show what the operator may do about it. */

/** @typedef {(run: () => Promise<unknown>, done: string) => Promise<boolean>} Act does something, and says so */

/**
 * Create a section with a list.
 * @template T
 * @param {{title: string, empty: string, className?: string, keyOf: (item: T) => string, create: (item: T) => HTMLElement,
 *   draw?: (node: HTMLElement, item: T) => void, more?: () => void}} options
 */
export function createList({ title, empty, className = "", keyOf, create, draw, more = () => {} }) {
  const count = h("span", { class: "secondary" });
  const emptyNote = h("p", { class: "secondary", text: empty, hidden: true });
  const list = h("ul", { class: `admin-list ${className}`.trim() });
  const moreButton = button(t("admin.more"), more);
  const element = h("section", { class: "card" }, h("h2", {}, title, " ", count), emptyNote, list, moreButton);
  moreButton.hidden = true;

  return {
    element,
    /** @param {readonly T[]} items @param {number} [total] @param {boolean} [mayGrow] whether more of them can be listed */
    draw(items, total = items.length, mayGrow = false) {
      setText(count, total ? (total > items.length ? t("admin.part", { n: items.length, total }) : String(total)) : "");
      show(emptyNote, items.length === 0);
      show(list, items.length > 0);
      show(moreButton, mayGrow && total > items.length);
      drawChildren(list, items, keyOf, create, draw);
    },
  };
}

/**
 * Create an entry. Its commands are created when it is first opened.
 * @param {readonly Node[]} summary @param {() => readonly Node[]} createCommands
 */
export function createEntry(summary, createCommands) {
  const commands = h("div", { class: "admin-commands" });
  const details = h("details", {}, h("summary", {}, ...summary), commands);
  details.addEventListener("toggle", () => {
    if (details.open && !commands.childElementCount) commands.append(...createCommands());
  });
  return h("li", {}, details);
}

/** Create a button that asks before it runs. @param {string} label @param {string} question @param {() => unknown} run */
export const createCommand = (label, question, run) =>
  createConfirmed({ label, question, yes: label, cancel: t("cancel") }, run);

/** Join the parts of a line. Each keeps its own direction, isolated by U+2068 and U+2069. @param {...(string|false)} parts */
export const line = (...parts) =>
  parts
    .filter(Boolean)
    .map((part) => `\u2068${part}\u2069`)
    .join("\u00a0·\u00a0");
