import { createForm, h, labelled, labelledSelect, setText, show } from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { allVariants, features, request } from "../net/api.js";
import { ensureToken, guestPlayer, requestAsGuest } from "../net/guest.js";
import { tournamentUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { prepared } from "./enter.js";
import { describe } from "./text.js";

/** The page on which an entrant types the PIN of a tournament, then a name. */

/**
 * @param {{root: HTMLElement, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
function openJoin({ root, navigate }) {
  /** @type {{tournament: import("../net/messages.js").Tournament, names: string[]|null}|null} */ let answer = null;
  const pin = h("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    maxlength: 7,
    pattern: "[0-9 ]*",
    required: true,
    class: "pin-input",
  });
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname" });
  name.value = guestPlayer()?.name ?? "";
  const names = labelledSelect(t("tournament.your_name"), []);
  const typed = labelled(t("tournament.your_name"), name);
  const title = h("h2");
  const about = h("p", { class: "secondary" });
  const nextButton = h("button", { type: "submit", class: "primary big", text: t("tournament.next") });
  const second = h("div", { hidden: true }, title, about, typed, names.element);
  const form = createForm(
    { class: "card join-card" },
    () => void submit(),
    labelled(t("tournament.pin"), pin),
    second,
    nextButton,
  );
  root.replaceChildren(h("div", { class: "join" }, h("h1", { tabindex: -1, text: t("tournament.join.title") }), form));
  document.title = `${t("tournament.join.title")} · ${t("app.name")}`;
  pin.addEventListener("input", () => {
    answer = null;
    draw();
    if (digits().length === 6) void submit();
  });
  pin.focus();

  const digits = () => pin.value.replace(/\D/g, "");

  function draw() {
    show(second, answer !== null);
    setText(nextButton, t(answer ? "tournament.join" : "tournament.next"));
    if (!answer) return;
    const { tournament } = answer;
    setText(title, tournament.name);
    setText(
      about,
      describe(
        tournament,
        allVariants().find(({ key }) => key === tournament.variant),
      ),
    );
    show(typed, answer.names === null && features().free_names);
    show(names.element, answer.names !== null);
    names.select.replaceChildren(...(answer.names ?? []).map((each) => h("option", { value: each, text: each })));
  }

  async function submit() {
    nextButton.disabled = true;
    await warnOnError(async () => {
      if (!answer) {
        answer = await request("POST", "tournaments/find", { body: { pin: digits() } });
        draw();
        (answer?.names ? names.select : name).focus();
        return;
      }
      const chosen = answer.names ? names.select.value : name.value.trim();
      await ensureToken(features().free_names && !answer.names ? chosen : undefined);
      const body = { pin: digits(), ...(chosen ? { name: chosen } : {}) };
      const { tournament } = await requestAsGuest("POST", "tournaments/join", body);
      await navigate(tournamentUrl(tournament.id));
    });
    nextButton.disabled = false;
  }

  return () => {};
}

export const joinPage = prepared(openJoin);
