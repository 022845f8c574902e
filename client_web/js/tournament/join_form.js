import { warnOnError } from "../net/failures.js";
import { button, createForm, drawChildren, h, labelled, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { foreseeEnter } from "../browser/presses.js";
import { features, request } from "../net/api.js";
import { ensureToken, guestPlayer, requestAsGuest } from "../net/guest.js";
import { homeUrl, pageAt, tournamentUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { storedTournaments } from "./pin.js";

/** How an entrant joins: under a typed name, or by a tap on one of the names that the host listed. */

/** @import { Tournament } from "../net/messages.js" */
/** @typedef {{tournament: Tournament, names: string[]|null}} Answer  `names` are the listed names that are free, or null */

/** @param {{pin: () => string, onJoin: (tournament: Tournament) => unknown}} options */
export function createJoinForm({ pin, onJoin }) {
  const input = h("input", {
    type: "text",
    maxlength: 24,
    autocomplete: "nickname",
    name: "name",
    required: features().free_names,
    pattern: ".*\\S.*",
  });
  input.value = guestPlayer()?.name ?? "";
  const typed = labelled(t("tournament.your_name"), input);
  const joinButton = h("button", { type: "submit", class: "primary big", text: t("tournament.join") });
  const form = createForm({ class: "join-form" }, () => join(input.value.trim()), typed, joinButton);
  const names = h("ul", { class: "join-names", translate: "no" });
  const listed = h("div", { class: "join-form" }, h("p", { text: t("tournament.tap_name") }), names);
  const watchLink = pageLink(homeUrl(), { class: "button primary", text: t("tournament.watch") });
  const warning = h("p", { role: "status", hidden: true });
  const forBots = h("div", { class: "join-form" }, h("p", { text: t("tournament.bots.only.join") }), watchLink);
  const element = h("div", { hidden: true }, warning, form, listed, forBots);

  /** @param {string} name */
  async function join(name) {
    element.inert = true;
    const isDone = await warnOnError(async () => {
      await ensureToken(features().free_names && listed.hidden ? name : undefined);
      const body = { pin: pin(), ...(name ? { name } : {}) };
      await onJoin((await requestAsGuest("POST", "tournaments/join", body)).tournament);
    });
    element.inert = false;
    if (!isDone && !listed.hidden) await find(); // another entrant may have taken the name
  }

  /** @param {Answer} answer */
  function draw(answer) {
    const isForBots = answer.tournament.bots === "only";
    show(forBots, isForBots);
    void warnOfOther(answer.tournament.id);
    show(watchLink, pageAt(location.pathname).page !== "tournament");
    setAttr(watchLink, "href", tournamentUrl(answer.tournament.id));
    show(form, answer.names === null && !isForBots);
    show(typed, features().free_names);
    show(listed, answer.names !== null && !isForBots);
    drawChildren(
      names,
      answer.names ?? [],
      (name) => name,
      (name) =>
        h(
          "li",
          {},
          button(name, () => join(name)),
        ),
    );
    show(element, true);
  }

  /** Say in which other tournament you play, because matches may begin in both at once. @param {string} id */
  async function warnOfOther(id) {
    show(warning, false);
    for (const { id: other, name } of storedTournaments().filter(({ id: other, plays }) => plays && other !== id)) {
      const tournament = await request("GET", `tournaments/${encodeURIComponent(other)}`).catch(() => null);
      if (!tournament || tournament.state === "over") continue;
      setText(warning, t("tournament.second", { name }));
      show(warning, true);
    }
  }

  /** Look up the tournament of the PIN, and draw the form. The form is hidden if it cannot be joined. */
  async function find() {
    show(element, false);
    /** @type {Answer} */
    const answer = await request("POST", "tournaments/find", { body: { pin: pin() } });
    draw(answer);
    return answer;
  }

  return {
    element,
    find,
    /** Move the focus to the name. After a PIN, an Enter that follows was meant for the PIN. @param {boolean} [isAfterPin] */
    focus(isAfterPin = false) {
      if (isAfterPin) foreseeEnter(element);
      (listed.hidden ? input : names.querySelector("button"))?.focus();
    },
  };
}
