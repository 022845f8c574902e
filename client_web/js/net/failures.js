import { warn } from "../browser/toasts.js";
import { t } from "../texts/i18n.js";
import { HttpError } from "./http.js";
import { pageTree } from "./page_tree.js";

/** Why something failed, in the words of this page: a browser's own words are never shown. */

/** @param {unknown} error */
export const reasonOf = (error) => (error instanceof HttpError ? error.message : t("error.unreachable"));

/** Say why a module did not load. An old page says so in a line of its own. */
export async function warnOfModule() {
  if (!(await pageTree.check(true))) warn(t("error.unreachable"));
}

/** Say why something failed. @param {unknown} error */
export function warnOf(error) {
  if (error instanceof HttpError) warn(error.message);
  else void warnOfModule();
}

/** Run a function. Show the reason if it fails, and return whether it did not. @param {() => Promise<unknown>} run */
export async function warnOnError(run) {
  try {
    await run();
    return true;
  } catch (error) {
    warnOf(error);
    return false;
  }
}
