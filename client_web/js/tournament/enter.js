import { h } from "../browser/dom.js";
import { warn } from "../browser/notices.js";
import { addTexts, t } from "../texts/i18n.js";

/** The texts and the style sheet that only the pages of tournaments need. */

/** Load the style sheet, unless the HTML of the page names it. */
function loadSheet() {
  const href = new URL("../../css/tournament.css", import.meta.url).href;
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return null;
  const link = h("link", { rel: "stylesheet", href });
  const arrival = new Promise((resolve) => {
    link.onload = link.onerror = resolve;
  });
  document.head.append(link);
  return arrival;
}

export const prepare = () => Promise.all([addTexts("tournament"), loadSheet()]);

/**
 * Return a page that opens once its texts and its style sheet are here.
 * @template {{root: HTMLElement}} O
 * @param {(options: O) => () => void} open
 * @returns {(options: O) => () => void}
 */
export const prepared = (open) => (options) => {
  let disposed = false;
  /** @type {(() => void)|null} */ let close = null;
  prepare().then(
    () => {
      if (!disposed) close = open(options);
    },
    () => warn(t("error.unreachable")),
  );
  return () => {
    disposed = true;
    close?.();
  };
};
