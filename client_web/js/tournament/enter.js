import { warnOfModule } from "../net/failures.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { addTexts } from "../texts/i18n.js";

/** The texts and the style sheet that only the pages of tournaments need. */

export const prepare = () => Promise.all([addTexts("tournament"), loadStyleSheet("tournament.css")]);

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
      if (disposed) return;
      close = open(options);
      if (document.activeElement === document.body) options.root.querySelector("h1")?.focus();
    },
    () => warnOfModule(),
  );
  return () => {
    disposed = true;
    close?.();
  };
};
