import { h } from "../browser/dom.js";

/** The operator's welcome above the lobby: plain text, in which URLs become links. */

const URL_IN_TEXT = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/;

/** @param {string} line */
const partsOf = (line) =>
  line
    .split(URL_IN_TEXT)
    .map((part, i) => (i % 2 ? h("a", { href: part, rel: "noopener nofollow", text: part }) : part));

/** @param {string} text */
export const createWelcome = (text) =>
  h("section", { class: "card welcome" }, ...text.split("\n").map((line) => h("p", { dir: "auto" }, ...partsOf(line))));
