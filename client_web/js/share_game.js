import { boardPng, boardSvg } from "./board_export.js";
import { drawBoard } from "./board_picture.js";
import { button, h } from "./dom.js";
import { t } from "./i18n.js";
import { gameText } from "./links.js";
import { warn } from "./notices.js";
import { canShare, copy, shareByDevice } from "./share.js";
import { theme } from "./theme.js";
import * as urls from "./urls.js";

/** The dialog that shares a game: as a link that never expires, as text, and as a picture made in the browser. */

const SAVED_MS = 60_000; // a browser has read the file by then

/** @typedef {import("./messages.js").Variant} Variant */
/** @typedef {import("./board_picture.js").Position} Position */

/** Let the browser save a file. @param {Blob} blob @param {string} name */
function save(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), SAVED_MS);
}

/**
 * @param {{variant: Variant, game: {moves: readonly string[], outcome: import("./messages.js").Outcome|null},
 *   position: Position}} options  `position` is what the picture shows
 */
export function openShareDialog({ variant, game, position }) {
  const key = variant.key;
  const link = urls.replayLink(gameText(key, game.moves, game.outcome));
  const text = `${variant.name}: ${game.moves.join(" ")}`;
  const input = h("input", {
    type: "text",
    readonly: true,
    class: "link",
    value: link,
    "aria-label": t("share.link"),
    on: { focus: () => input.select() },
  });
  const chosen = theme();
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const scheme = isDark ? "dark" : "light";
  const picture = h("div", { class: "share-picture", "aria-hidden": "true" });
  drawBoard(picture, { ...position, still: true });
  const savePng = () =>
    void boardPng(position, { scheme }).then(
      (blob) => save(blob, `${key}.png`),
      (error) => warn(error.message),
    );
  const saveSvg = () => save(new Blob([boardSvg(position, { scheme })], { type: "image/svg+xml" }), `${key}.svg`);
  const dialog = h(
    "dialog",
    { class: "dialog share-game", "aria-label": t("share.game") },
    h("h2", { text: t("share.game.title") }),
    h("p", { class: "secondary", text: t("share.game.what") }),
    picture,
    input,
    h(
      "div",
      { class: "buttons" },
      canShare() && button(t("share"), () => void shareByDevice({ title: t("app.name"), text, url: link }), "primary"),
      button(t("share.game.copy"), () => void copy(link, input), canShare() ? "" : "primary"),
      button(t("share.game.text"), () => void copy(`${text}\n${link}`, input)),
      button(t("share.game.png"), savePng),
      button(t("share.game.svg"), saveSvg),
      h("a", { class: "button", href: link, target: "_blank", rel: "noreferrer", text: t("share.game.open") }),
    ),
    h("div", { class: "dialog-toasts", role: "status" }),
    button(t("close"), () => dialog.close()),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
