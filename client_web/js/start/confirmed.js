import { button, createLog, h, openOnce } from "../browser/dom.js";
import { t } from "../texts/i18n.js";

/** A question before something that cannot be undone. No second half of the press that asked can answer it: see `presses.js`. */

/**
 * Ask in a dialog, in the half of the window in which the click was not.
 * @param {MouseEvent} click @param {string} question @param {() => unknown} run @param {string} [yes] by default the question
 */
export function ask(click, question, run, yes = question) {
  const answer = () => {
    dialog.close();
    return run();
  };
  const no = button(t("cancel"), () => dialog.close());
  const dialog = h(
    "dialog",
    { class: "dialog question", "aria-label": question },
    question !== yes && h("p", { text: question }),
    button(yes, answer, "danger"),
    no,
    createLog(),
  );
  dialog.style.marginBlock = click.clientY > innerHeight / 2 ? "12px auto" : "auto 12px";
  openOnce(dialog);
  no.focus();
}

/**
 * Create a button that asks before it runs.
 * @param {string} label @param {string} question @param {() => unknown} run @param {string} [yes] by default the label
 */
export const createConfirmed = (label, question, run, yes = label) =>
  button(label, (click) => ask(click, question, run, yes));
