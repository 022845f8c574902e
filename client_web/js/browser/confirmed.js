import { button, createLog, h, openOnce } from "./dom.js";

/** A question before something that cannot be undone. No second press on the button that asked can answer it. */

const DEAF_MS = 600;

/**
 * Ask in a dialog, in the half of the window in which the click was not. For 600 ms it takes no answer.
 * @param {MouseEvent} click @param {{question: string, yes: string, cancel: string}} texts @param {() => unknown} run
 */
export function ask(click, { question, yes, cancel }, run) {
  const answer = button(
    yes,
    () => {
      if (answer.ariaDisabled === "true") return null;
      dialog.close();
      return run();
    },
    "danger",
  );
  answer.ariaDisabled = "true";
  setTimeout(() => (answer.ariaDisabled = null), DEAF_MS);
  const no = button(cancel, () => dialog.close());
  const text = question !== yes && h("p", { text: question });
  const dialog = h("dialog", { class: "dialog question", "aria-label": question }, text, answer, no, createLog());
  dialog.style.marginBlock = click.clientY > innerHeight / 2 ? "12px auto" : "auto 12px";
  openOnce(dialog);
  no.focus();
}

/**
 * Create a button that asks before it runs.
 * @param {{label: string, question: string, yes: string, cancel: string}} texts @param {() => unknown} run
 */
export const createConfirmed = ({ label, ...texts }, run) => button(label, (click) => ask(click, texts, run));
