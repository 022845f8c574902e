import { reasonOf } from "../net/failures.js";
import { button, h, listen, setAttr, setText } from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { knownVariant } from "../net/api.js";
import { learnHash, learnUrl, setAddress } from "../net/urls.js";
import { addTexts, t } from "../texts/i18n.js";
import { createGamesChapter } from "./games_chapter.js";
import { createMemoryChapter } from "./memory_chapter.js";
import { createTreeChapter } from "./tree_chapter.js";
import { createValuesChapter } from "./values_chapter.js";

/**
 * The page of minimax: six chapters and a free board. Each has a board to play on, a picture that moves, and below them few
 * words. The fragment of the URL names the chapter and the position on its board.
 */

/** @import { Variant } from "../net/messages.js" */
/** @import { Chapter } from "./tree_chapter.js" */

/** X must take b1: O threatens it, and the other two moves lose. One ply before, O had to take a1. */
const THREE_FREE = "c3,c2,b2,c1,a2,a1";
const FOUR_FREE = "c3,c2,b2,c1,a2";
/** All three moves of X win: the first two of them slowly. */
const TWO_WINS = "c2,a2,b2,b1,a1,b3";
const BEGINNINGS = /** @type {const} */ ([
  { key: "learn.free.three", moves: THREE_FREE },
  { key: "learn.free.four", moves: FOUR_FREE },
  { key: "learn.free.all", moves: "" },
]);

/** @typedef {{variant: Variant, onMove: (moves: string[]) => void}} ChapterOptions */

/** @type {Record<string, (options: ChapterOptions) => Chapter>} */
const CHAPTERS = {
  values: createValuesChapter,
  minimax: (options) => createTreeChapter({ ...options, beginnings: BEGINNINGS, signs: true }),
  sooner: (options) => createTreeChapter({ ...options, beginnings: [{ key: "learn.free.three", moves: TWO_WINS }] }),
  "alpha-beta": (options) => createTreeChapter({ ...options, beginnings: BEGINNINGS, cuts: true }),
  memory: createMemoryChapter,
  beyond: createGamesChapter,
  free: (options) => createTreeChapter({ ...options, beginnings: [{ key: "learn.free.all", moves: "" }], free: true }),
};
const KEYS = Object.keys(CHAPTERS);

/** @param {{root: HTMLElement}} options @returns {() => void} closes the page */
export function learnPage({ root }) {
  let disposed = false;
  /** @type {Chapter|null} */ let chapter = null;
  let shown = "";
  let words = "";
  const heading = h("h1", { tabindex: -1 });
  const chapterList = h("ol", { class: "chapter-list" });
  const title = h("h2", { tabindex: -1 });
  const text = h("p", { class: "lesson" });
  const holder = h("div", {});
  const nextLink = h("a", { class: "button" });
  const element = h(
    "div",
    { class: "learn" },
    h("header", { class: "learn-top" }, heading),
    h("section", { class: "chapter" }, title, holder, text, h("p", { class: "learn-next" }, nextLink)),
  );
  const removeListener = listen(window, "hashchange", () => showChapter());
  void load();

  async function load() {
    try {
      await Promise.all([addTexts("learn"), loadStyleSheet("learn.css")]);
    } catch (error) {
      if (!disposed) showFailure(reasonOf(error));
      return;
    }
    if (disposed) return;
    setText(heading, t("learn.title"));
    element.querySelector(".learn-top")?.append(h("nav", { "aria-label": t("learn.chapters") }, chapterList));
    chapterList.replaceChildren(
      ...KEYS.map((key, index) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: learnHash(key), "data-chapter": key },
            h("span", {
              class: "chapter-number",
              "aria-hidden": "true",
              text: key === "free" ? "+" : String(index + 1),
            }),
            h("span", { class: "chapter-name", text: titleOf(key) }),
          ),
        ),
      ),
    );
    root.replaceChildren(element);
    showChapter();
  }

  /** @param {string} message */
  function showFailure(message) {
    root.replaceChildren(
      h(
        "div",
        { class: "page-note" },
        h("p", { text: message }),
        button(t("error.retry"), () => load(), "primary"),
      ),
    );
  }

  /** @param {string} key */
  const titleOf = (key) => t(/** @type {"learn.values.title"} */ (`learn.${key}.title`));

  /** Show the chapter that the fragment names, with its position. */
  function showChapter() {
    const [name = "", cells = ""] = location.hash.slice(1).split("=");
    const key = KEYS.includes(name) ? name : "values";
    if (`${key}=${cells}` === words) return;
    const variant = knownVariant("classic");
    const create = CHAPTERS[key];
    if (!variant || !create) return;
    const isOther = key !== shown;
    if (isOther) {
      chapter?.dispose();
      shown = key;
      chapter = create({ variant, onMove: (moves) => keep(key, moves) });
      holder.replaceChildren(chapter.element);
      const index = KEYS.indexOf(key);
      setText(title, key === "free" ? titleOf(key) : `${index + 1}. ${titleOf(key)}`);
      setText(text, t(/** @type {"learn.values.text"} */ (`learn.${key}.text`)));
      const next = KEYS[index + 1];
      nextLink.hidden = !next;
      if (next) {
        nextLink.href = learnHash(next);
        setText(nextLink, t("learn.next", { title: titleOf(next) }));
      }
      for (const link of chapterList.querySelectorAll("a"))
        setAttr(link, "aria-current", link.dataset["chapter"] === key ? "page" : null);
      document.title = `${titleOf(key)} · ${t("learn.title")}`;
      if (words) title.focus({ preventScroll: true });
      if (words) window.scrollTo(0, 0);
    }
    words = `${key}=${cells}`;
    chapter?.open(cells ? cells.split(",") : null);
  }

  /** Put the position on the board into the address bar. @param {string} key @param {readonly string[]} moves */
  function keep(key, moves) {
    if (disposed || key !== shown || key === "values" || key === "beyond") return;
    words = `${key}=${moves.join(",")}`;
    setAddress(learnUrl(key, moves));
  }

  return () => {
    disposed = true;
    removeListener();
    chapter?.dispose();
  };
}
