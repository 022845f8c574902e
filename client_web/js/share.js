import { button, h, show } from "./dom.js";
import { requestAsGuest } from "./guest.js";
import { t } from "./i18n.js";
import { toast } from "./notices.js";
import * as urls from "./urls.js";

/** Links to share: the invite link, whose secret takes a seat, and the watch link, which anyone may have. */

/** @param {string} link @param {HTMLInputElement} input shows the link if the browser does not let the page copy it */
async function copy(link, input) {
  try {
    await navigator.clipboard.writeText(link);
    toast(t("share.copied"));
  } catch {
    show(input, true);
    input.value = link; // browsers allow navigator.clipboard only over https or on localhost
    input.focus();
    input.select();
    toast(t(document.execCommand("copy") ? "share.copied" : "share.manual"));
  }
}

/** @param {string} id */
export function createShareCard(id) {
  let invite = "";
  let qrInvite = "";
  const input = h("input", { type: "text", readonly: true, class: "link", "aria-label": t("share.link"), on: { focus: () => input.select() } });
  const qrImage = h("img", { class: "qr", alt: t("share.qr"), hidden: true, width: 180, height: 180 });
  const qrButton = button(t("share.qr.show"), () => void drawQrCode());
  const localNote = h("p", { class: "secondary", hidden: true, text: t("share.local") });
  const element = h("section", { class: "card share", hidden: true },
    h("h2", { text: t("share.title") }),
    h("p", { class: "secondary", text: t("share.what") }), localNote,
    input,
    h("div", { class: "buttons" }, button(t("share.copy"), () => void copy(link(), input), "primary"), qrButton),
    qrImage);
  const link = () => urls.inviteLink(id, invite);

  async function drawQrCode() {
    const qrLink = link();
    try {
      const image = await requestAsGuest("POST", "qr", { text: qrLink });
      if (qrLink !== link()) return;
      qrInvite = invite;
      qrImage.src = "data:image/svg+xml," + encodeURIComponent(image);
      show(qrImage, true);
      show(qrButton, false);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  }

  return {
    element,
    /** @param {import("./room_state.js").RoomState} state @param {boolean} visible */
    draw(state, visible) {
      invite = state.invite ?? "";
      show(element, visible && invite !== "");
      show(localNote, urls.linksAreLocal());
      if (invite && input.value !== link()) input.value = link();
      if (qrInvite && qrInvite !== invite) {
        show(qrImage, false);
        show(qrButton, true);
      }
    },
  };
}

/** @param {string} id */
export function createWatchLink(id) {
  const input = h("input", { type: "text", readonly: true, class: "link", hidden: true, "aria-label": t("share.link") });
  const copyButton = button(t("share.copy.watch"), () => void copy(urls.watchLink(id), input));
  return h("div", { class: "watch" }, copyButton, input);
}
