import { h, setText, show } from "../browser/dom.js";
import { browserStorage, tabStorage } from "../browser/storage.js";
import { warn } from "../browser/toasts.js";
import { requestAsGuest } from "../net/guest.js";
import { joinUrl, linksAreLocal, secretIn, setAddress, tournamentLink } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { normalized } from "../texts/normalized.js";
import { waysToJoin } from "./state.js";

/** The PIN of a tournament in large figures, with the QR code of its link. */

/** Return a PIN with a gap, as people read it: 123 456. @param {string} pin */
export const spaced = (pin) => `${pin.slice(0, 3)} ${pin.slice(3)}`;

const PIN_PREFIX = "noughts.pin.";
const PIN = /^\d{6}(?!\d)/;

/**
 * Return the PIN in the URL of a tournament, and keep it in this tab without showing it in the address bar.
 * @param {string} id @param {boolean} [stays] the address bar keeps it
 */
export function takePin(id, stays = false) {
  const key = PIN_PREFIX + id;
  const link = secretIn("p");
  const stored = PIN.exec(tabStorage.get(key) ?? "")?.[0] ?? "";
  if (!link) return stored;
  const pin = PIN.exec(normalized(link))?.[0];
  if (pin) tabStorage.set(key, pin);
  else if (!stored) warn(t("tournament.pin.cut"));
  if (!stays) setAddress(location.pathname + location.search);
  return pin ?? stored;
}

export const createQr = () => h("img", { class: "qr", alt: t("share.qr"), width: 220, height: 220, hidden: true });

/** Draw the QR code of a link. It stays hidden if the server has none to give. @param {HTMLImageElement} image @param {string} link */
export async function drawQr(image, link) {
  try {
    image.src = "data:image/svg+xml," + encodeURIComponent(await requestAsGuest("POST", "qr", { text: link }));
    show(image, true);
  } catch {
    show(image, false);
  }
}

/** @param {string} id */
export function createPinCard(id) {
  const digits = h("output", { class: "pin", translate: "no" });
  const how = h("p", { class: "secondary" });
  const image = createQr();
  const element = h(
    "section",
    { class: "pin-card" },
    h("div", {}, h("h2", { text: t("tournament.pin") }), digits, how),
    image,
    linksAreLocal() && h("p", { class: "secondary local", text: t("tournament.local") }),
  );
  let shown = "";

  return {
    element,
    /** The card is small once the tournament has started. @param {import("./state.js").OpenTournament} state */
    draw(state) {
      const pin = waysToJoin(state).showsPin ? state.message.pin : null;
      show(element, Boolean(pin));
      element.toggleAttribute("data-small", state.message.tournament.state !== "open");
      if (!pin || pin === shown) return;
      shown = pin;
      setText(digits, spaced(pin));
      digits.setAttribute("aria-label", [...pin].join(" "));
      setText(how, t("tournament.pin.how", { url: joinUrl().replace(/^https?:\/\//, "") }));
      void drawQr(image, tournamentLink(id, pin));
    },
  };
}

const CODE_KEY = "noughts.tournaments";

/** @type {{id: string, name: string, plays?: boolean}} */
const STORED = { id: "", name: "" };

/** Return the tournaments that this browser made or joined, newest first. */
export const storedTournaments = () => browserStorage.load(CODE_KEY, [STORED]) ?? [];

/** Keep a tournament, and whether you play in it. @param {import("../net/messages.js").TournamentMessage} message */
export function rememberTournament({ tournament: { id, name, state }, you }) {
  const plays = you.can.includes("leave") && state !== "over";
  const others = storedTournaments().filter((other) => other.id !== id);
  browserStorage.set(CODE_KEY, JSON.stringify([{ id, name, plays }, ...others].slice(0, 5)));
}
