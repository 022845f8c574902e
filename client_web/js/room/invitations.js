import { warnOnError } from "../net/failures.js";
import { createSwapChoice } from "../board/swap_choice.js";
import {
  button,
  createForm,
  h,
  labelled,
  labelledSelect,
  linkInput,
  setOptions,
  setText,
  show,
} from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { wantsNoMotion } from "../browser/preferences.js";
import { toast, warn } from "../browser/toasts.js";
import { features } from "../net/api.js";
import { guestPlayer, requestAsGuest } from "../net/guest.js";
import { inviteLink, linksAreLocal, watchLink } from "../net/urls.js";
import { canInvite, isDays, openSeat, opponentOf } from "../net/view.js";
import { addTexts, t } from "../texts/i18n.js";
import { clockText } from "../texts/times.js";
import { paceOptions, seatName, seriesOptions } from "../texts/names.js";
import { nextVariantOf } from "./state.js";

/**
 * Invitations: the card with which a visitor takes a seat, the card with the invite link, whose secret takes a seat, and
 * the link to watch, which anyone may have.
 */

/** @import { Mark } from "../net/messages.js" */
/** @import { OpenState, Part, RoomContext } from "./state.js" */

/**
 * Create the cards over the empty board before the first game, so that nothing moves when it starts.
 * @param {RoomContext} context
 * @returns {Promise<Part>}
 */
export async function createCards(context) {
  await Promise.all([addTexts("server"), loadStyleSheet("invitation.css")]);
  const cards = [createInvitation(context), createShareCard(context)];
  const element = h("div", { class: "board-overlay", hidden: true }, ...cards.map((card) => card.element));
  const arrival = h("b");
  const begin = () => context.dispatch({ type: "begin" });
  const knock = h(
    "button",
    { type: "button", class: "knock", hidden: true, on: { click: begin } },
    arrival,
    h("span", { text: t("knock.begin") }),
  );
  return {
    element: h("div", { class: "cards" }, element, knock),
    draw(state) {
      const { view, you } = state;
      setText(arrival, t("event.here", { name: seatName(view.seats[opponentOf(you.mark ?? "X")]) }));
      show(knock, state.knocks);
      if (view.game !== null && !element.hidden) return fold(element);
      for (const card of cards) card.draw(state);
      show(element, view.game === null && view.phase !== "closed" && cards.some((card) => !card.element.hidden));
    },
  };
}

const FOLD_MS = 400;

/** Fold the cards into the opponent's bar, because the game is on. Until then no tap reaches the board. @param {HTMLElement} overlay */
function fold(overlay) {
  for (const card of /** @type {HTMLCollectionOf<HTMLElement>} */ (overlay.children)) {
    if (card.inert) return;
    card.inert = true;
    const folded = { opacity: 0, scale: "1 .05", translate: `0 -${overlay.clientHeight / 2}px` };
    const { finished } = card.animate(folded, { duration: wantsNoMotion() ? 0 : FOLD_MS, easing: "ease-in" });
    void finished.then(() => show(overlay, false));
  }
}

/**
 * Create the card with which a visitor takes an empty seat. Opening a link alone takes none.
 * @param {RoomContext} context
 * @returns {Part}
 */
function createInvitation({ sit }) {
  /** @type {Mark} */
  let mark = "O";
  const title = h("h2");
  const text = h("p");
  const terms = h("p", { class: "secondary", hidden: true });
  const value = guestPlayer()?.name ?? "";
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", name: "name", value });
  const labelledName = labelled(t("invite.name"), name);
  const sitButton = h("button", { type: "submit", class: "primary big" });
  const form = createForm({}, () => submit(), sitButton, labelledName);

  async function submit() {
    sitButton.disabled = true;
    await sit(mark, name.value.trim());
    sitButton.disabled = false;
  }

  const element = h("section", { class: "card invitation", hidden: true }, title, text, terms, form);
  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view } = state;
      const emptySeat = openSeat(state);
      show(element, emptySeat !== null);
      if (!emptySeat) return;
      mark = emptySeat;
      show(labelledName, features().free_names);
      setText(title, t(view.join === "open" ? "invite.title.open" : "invite.title"));
      const opponent = view.seats[opponentOf(mark)];
      const variant = nextVariantOf(state)?.name ?? view.variant;
      setText(
        text,
        opponent?.kind === "human"
          ? t(view.join === "open" ? "invite.what.open" : "invite.what", { name: opponent.name, variant, mark })
          : t("invite.what.nameless", { variant, mark }),
      );
      const clock = view.clock && `${t("start.clock")}: ${clockText(view.clock.setting)}`;
      setText(terms, termsText(clock, view));
      show(terms, terms.textContent !== "");
      setText(sitButton, t("invite.sit", { mark }));
    },
  };
}

/**
 * Copy a text.
 * @param {string} text
 * @param {HTMLInputElement|HTMLTextAreaElement} input shows the text if the browser does not let the page copy it
 */
export async function copy(text, input, done = t("share.copied")) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    show(input, true);
    input.value = text; // browsers allow navigator.clipboard only over https or on localhost
    input.focus();
    input.select();
    if (document.execCommand("copy")) toast(done);
    else warn(t("share.manual"));
  }
}

/** Share with the device's own dialog. Return whether the player did. @param {ShareData} content */
export async function shareByDevice(content) {
  try {
    await navigator.share(content);
    return true;
  } catch (error) {
    // The player closed it, or the browser wants another tap first.
    if (!["AbortError", "NotAllowedError"].includes(/** @type {Error} */ (error).name)) warn(t("share.failed"));
    return false;
  }
}

/**
 * Create the buttons that share and copy a link. Without a dialog of the device, the main button copies.
 * @param {() => ShareData & {url: string}} content @param {HTMLInputElement} input shows the link @param {string} copyLabel
 */
export function createShareButtons(content, input, copyLabel) {
  const hasDialog = typeof navigator.share === "function";
  const shareButton = button(t("share"), () => shareByDevice({ title: t("app.name"), ...content() }), "primary");
  const copyButton = button(copyLabel, () => copy(content().url, input), hasDialog ? "" : "primary");
  return hasDialog ? [shareButton, copyButton] : [copyButton];
}

/** Return what is agreed about a room's games. @param {string|null} clock @param {import("../net/messages.js").View} view */
const termsText = (clock, { series, swap }) =>
  [clock, series && t("series.first_to", { n: series.first_to }), swap && t("swap.label")].filter(Boolean).join(" · ");

/** Create what the owner chooses before a game, behind one line: the time, a series and a fair start. @param {RoomContext} context @returns {Part} */
function createTerms({ sendCommand }) {
  const set = (/** @type {object} */ change) => sendCommand({ type: "set", ...change });
  const pace = labelledSelect(t("pace"), [], "", (clock) => void set({ clock: JSON.parse(clock) }));
  const series = labelledSelect(t("series.label"), [], "", (n) => void set({ first_to: JSON.parse(n) }));
  const swap = createSwapChoice((isFair) => void set({ swap: isFair }));
  const summary = h("summary");
  let drawn = "";
  return {
    element: h("details", { class: "terms" }, summary, pace.element, series.element, swap.element),
    draw(state) {
      const { view, you } = state;
      show(/** @type {HTMLElement} */ (summary.parentElement), you.owner); // known before the connection is open
      show(pace.element, view.game?.turn == null && (view.clock === null || isDays(view)));
      const firstTo = view.series?.first_to ?? null;
      const settings = JSON.stringify([view.variant, view.clock?.setting, firstTo, view.swap]);
      if (settings === drawn) return; // a view from before a choice must not undo it
      drawn = settings;
      const clock = view.clock ? clockText(view.clock.setting) : t("pace.none");
      setText(summary, termsText(clock, view) + (firstTo ? "" : ` · ${t("series.none")}`));
      setOptions(pace.select, paceOptions(), JSON.stringify(view.clock?.setting ?? null));
      setOptions(series.select, seriesOptions(firstTo), JSON.stringify(firstTo));
      swap.draw(view.variant, view.swap);
    },
  };
}

/** Create the card that invites a friend. @param {RoomContext} context @returns {Part} */
export function createShareCard(context) {
  const { id, warmUp } = context;
  let invite = "";
  let qrInvite = "";
  const input = linkInput(t("share.link"));
  const qrImage = h("img", { class: "qr", alt: t("share.qr"), hidden: true, width: 180, height: 180 });
  const qrButton = button(t("share.qr.show"), () => warnOnError(drawQrCode));
  const warmUpButton = button(t("share.warm_up"), () => warmUp(), "warm-up");
  const localNote = h("p", { class: "secondary local", hidden: true, text: t("share.local") });
  const link = () => inviteLink(id, invite);
  const terms = createTerms(context);
  const content = () => ({ text: t("share.text"), url: link() });
  const [mainButton, ...others] = createShareButtons(content, input, t("share.game.copy"));
  const element = h(
    "section",
    { class: "card share", hidden: true },
    h("h2", { text: t("share.title") }),
    h("p", { class: "secondary", text: t("share.what") }),
    mainButton,
    input,
    terms.element,
    qrImage,
    h("div", { class: "buttons" }, ...others, qrButton, warmUpButton),
    localNote,
  );

  /** @param {boolean} isShown  whether there is room for the code, before it is here */
  function makeRoom(isShown) {
    show(qrImage, isShown);
    show(qrButton, !isShown);
  }

  async function drawQrCode() {
    const qrLink = link();
    const image = await requestAsGuest("POST", "qr", { text: qrLink });
    if (qrLink !== link()) return;
    qrImage.src = "data:image/svg+xml," + encodeURIComponent(image);
    makeRoom(true);
  }

  return {
    element,
    /** @param {import("./state.js").OpenState} state */
    draw(state) {
      invite = state.invite ?? "";
      show(element, canInvite(state));
      show(localNote, linksAreLocal());
      show(warmUpButton, state.view.game === null);
      terms.draw(state);
      if (invite && input.value !== link()) input.value = link();
      if (!invite || qrInvite === invite) return;
      qrInvite = invite;
      const isDesk = state.layout !== "narrow";
      makeRoom(isDesk);
      if (isDesk) void drawQrCode().catch(() => makeRoom(false));
    },
  };
}

/** @param {string} id */
export function createWatchLink(id) {
  const input = linkInput(t("share.link"));
  show(input, false);
  const copyButton = button(t("share.copy.watch"), () => copy(watchLink(id), input));
  return h("div", { class: "watch" }, copyButton, input);
}
