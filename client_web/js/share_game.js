import { button, h } from "./dom.js";
import { t } from "./i18n.js";
import { gameText } from "./links.js";
import { canShare, copy, shareByDevice } from "./share.js";
import * as urls from "./urls.js";

/** The dialog that shares a game: as a link that never expires, as text, and as a picture made in the browser. */

/** @typedef {import("./messages.js").Variant} Variant */

/**
 * @param {{variant: Variant|null, game: {moves: readonly string[], variant?: string, outcome: import("./messages.js").Outcome|null}}} options
 */
export function openShareDialog({ variant, game }) {
  const key = variant?.key ?? game.variant ?? "";
  const link = urls.replayLink(gameText(key, game.moves, game.outcome));
  const text = `${variant?.name ?? key}: ${game.moves.join(" ")}`;
  const input = h("input", { type: "text", readonly: true, class: "link", value: link, "aria-label": t("share.link"), on: { focus: () => input.select() } });
  const dialog = h("dialog", { class: "dialog share-game", "aria-label": t("share.game") },
    h("h2", { text: t("share.game.title") }), h("p", { class: "secondary", text: t("share.game.what") }), input,
    h("div", { class: "buttons" },
      canShare() && button(t("share"), () => void shareByDevice({ title: t("app.name"), text, url: link }), "primary"),
      button(t("share.game.copy"), () => void copy(link, input), canShare() ? "" : "primary"),
      button(t("share.game.text"), () => void copy(`${text}\n${link}`, input)),
      h("a", { class: "button", href: link, target: "_blank", rel: "noreferrer", text: t("share.game.open") })),
    h("div", { class: "dialog-toasts", role: "status" }),
    button(t("close"), () => dialog.close()));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
