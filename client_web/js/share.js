import { callAsGuest } from "./session.js";
import { button, h, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { toast } from "./live.js";
import * as paths from "./paths.js";
import { features } from "./variants.js";

/** Links to give away: the invite, which is a secret and takes a seat, and the watch link, which is neither. */

/** @typedef {import("./scene.js").Scene} Scene */

/** @param {string} link @param {HTMLInputElement} shown */
async function copy(link, shown) {
  try {
    await navigator.clipboard.writeText(link);
    toast(t("share.copied"));
  } catch {
    show(shown, true);
    shown.value = link; // the clipboard is for pages over https or on this very machine
    shown.focus();
    shown.select();
    toast(t(document.execCommand("copy") ? "share.copied" : "share.manual"));
  }
}

/** @param {string} id */
export function createShare(id) {
  let invite = "";
  let pictured = "";
  const shown = h("input", { type: "text", readonly: true, class: "link", "aria-label": t("share.link"), on: { focus: () => shown.select() } });
  const picture = h("img", { class: "qr", alt: t("share.qr"), hidden: true, width: 180, height: 180 });
  const qr = button(t("share.qr.show"), () => void drawQr());
  const here = h("p", { class: "quiet", hidden: true, text: t("share.here") });
  const element = h("section", { class: "card share", hidden: true },
    h("h2", { text: t("share.title") }),
    h("p", { class: "quiet", text: t("share.what") }), here,
    shown,
    h("div", { class: "buttons" }, button(t("share.copy"), () => void copy(link(), shown), "primary"), qr),
    picture);
  const link = () => paths.inviteLink(id, invite);

  async function drawQr() {
    const wanted = link();
    try {
      const image = await callAsGuest("POST", "qr", { text: wanted });
      if (wanted !== link()) return;
      pictured = invite;
      picture.src = "data:image/svg+xml," + encodeURIComponent(image);
      show(picture, true);
      show(qr, false);
    } catch (fault) {
      toast(/** @type {Error} */ (fault).message);
    }
  }

  return {
    element,
    /** @param {Scene} scene @param {boolean} wanted */
    draw(scene, wanted) {
      invite = scene.invite ?? "";
      show(element, wanted && invite !== "");
      show(here, paths.linksStayHere());
      if (invite && shown.value !== link()) shown.value = link();
      if (pictured && pictured !== invite) {
        show(picture, false);
        show(qr, true);
      }
    },
  };
}

/** @param {string} id */
export function createWatchLink(id) {
  const shown = h("input", { type: "text", readonly: true, class: "link", hidden: true, "aria-label": t("share.link") });
  const press = button(t("share.watch"), () => void copy(paths.roomLink(id), shown));
  return h("div", { class: "watch" }, press, shown);
}

/** The card that a visitor meets: one deliberate press sits down. @param {(mark: import("./wire.js").Mark, name: string) => Promise<void>} sit */
export function createInvitation(sit) {
  /** @type {import("./wire.js").Mark} */
  let mark = "O";
  const what = h("p");
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", name: "name" });
  const called = h("label", { class: "choice" }, h("span", { text: t("invite.name") }), name);
  const press = h("button", { type: "submit", class: "primary" });
  const form = h("form", {
    on: {
      /** @param {Event} event */
      async submit(event) {
        event.preventDefault();
        press.disabled = true;
        await sit(mark, name.value.trim());
        press.disabled = false;
      },
    },
  }, called, press);
  const title = h("h2");
  const element = h("section", { class: "card invitation", hidden: true }, title, what, form);
  return {
    element,
    /** @param {Scene} scene @param {import("./wire.js").Mark|null} seat @param {string} known the name that we already have */
    draw({ view, variant }, seat, known) {
      show(element, seat !== null);
      if (!seat) return;
      mark = seat;
      show(called, features().free_names);
      setText(title, t(view.join === "open" ? "invite.open" : "invite.title"));
      const host = view.seats[seat === "X" ? "O" : "X"];
      const game = variant?.name ?? view.variant;
      setText(what, host?.kind === "human" ? t(view.join === "open" ? "invite.what.open" : "invite.what", { name: host.name, variant: game, mark }) : t("invite.what.nobody", { variant: game, mark }));
      setText(press, t("invite.go", { mark }));
      if (!name.dataset["filled"] && known) {
        name.dataset["filled"] = "yes";
        name.value = known;
      }
    },
  };
}
