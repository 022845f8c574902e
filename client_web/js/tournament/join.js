import { warnOnError } from "../net/failures.js";
import { createForm, h, labelled, setText, show } from "../browser/dom.js";
import { clearToast } from "../browser/toasts.js";
import { tournamentUrl } from "../net/urls.js";
import { normalized } from "../texts/normalized.js";
import { t } from "../texts/i18n.js";
import { createJoinForm } from "./join_form.js";
import { describe } from "./text.js";

/** The page on which an entrant types the PIN of a tournament, then a name. */

const DIGITS = 6;

/**
 * @param {{root: HTMLElement, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
export function joinPage({ root, navigate }) {
  const pin = h("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    required: true,
    class: "pin-input",
  });
  const digits = () => normalized(pin.value);
  const title = h("h2");
  const about = h("p", { class: "secondary" });
  const head = h("div", { hidden: true }, title, about);
  const joinForm = createJoinForm({ pin: digits, onJoin: ({ id }) => navigate(tournamentUrl(id)) });
  const nextButton = h("button", { type: "submit", class: "primary big", text: t("tournament.next") });
  const pinForm = createForm({ class: "join-form" }, () => find(), labelled(t("tournament.pin"), pin), nextButton);
  root.replaceChildren(
    h(
      "div",
      { class: "join" },
      h("h1", { tabindex: -1, text: t("tournament.join.title") }),
      h("div", { class: "card join-card" }, pinForm, head, joinForm.element),
    ),
  );
  document.title = `${t("tournament.join.title")} · ${t("app.name")}`;
  pin.addEventListener("input", () => {
    const typed = digits().replace(/\D/g, "").slice(0, DIGITS);
    if (pin.value !== typed) pin.value = typed;
    clearToast();
    show(head, false);
    show(joinForm.element, false);
    show(nextButton, true);
    if (digits().length === DIGITS) void find();
  });
  pin.focus();

  async function find() {
    nextButton.disabled = true;
    await warnOnError(async () => {
      const { tournament } = await joinForm.find();
      setText(title, tournament.name);
      setText(about, describe(tournament));
      show(head, true);
      show(nextButton, false);
      joinForm.focus(true);
    });
    nextButton.disabled = false;
  }

  return () => {};
}
