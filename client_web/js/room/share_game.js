import { createPicture } from "../board/picture.js";
import { boardEmoji, gameText } from "../board/replay.js";
import { button, createDialog, h, linkInput, openOnce, svg } from "../browser/dom.js";
import { warn } from "../browser/notices.js";
import { theme } from "../browser/preferences.js";
import { replayLink } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { copy, createShareButtons } from "./invitations.js";
import { markHeadline } from "./text.js";

/** The dialog that shares a game: as a link that never expires, as text, and as a picture made in the browser. */

/** @import { Position } from "../board/picture.js" */
/** @import { Variant } from "../net/messages.js" */

const SAVED_MS = 60_000; // a browser has read the file by then

/** Let the browser save a file. @param {Blob} blob @param {string} name */
function saveFile(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), SAVED_MS);
}

/**
 * @param {{variant: Variant, game: {moves: readonly string[], outcome: import("../net/messages.js").Outcome|null},
 *   position: Position}} options  `position` is what the picture shows
 */
export function openShareDialog({ variant, game, position }) {
  const key = variant.key;
  const link = replayLink(gameText(key, game.moves, game.outcome));
  const end = game.outcome ? markHeadline(game.outcome) : "";
  const text = `${[variant.name, end].filter(Boolean).join(" · ")}\n${boardEmoji(variant.shape, position.marks)}`;
  const input = linkInput(t("share.link"));
  input.value = link;
  const chosen = theme();
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const scheme = isDark ? "dark" : "light";
  const picture = createPicture(variant, position);
  picture.draw({ ...position, still: true });
  const savePng = () =>
    void boardPng(position, scheme).then(
      (blob) => saveFile(blob, `${key}.png`),
      (error) => warn(error.message),
    );
  const dialog = createDialog(
    t("close"),
    { class: "dialog share-game", "aria-label": t("share.game") },
    h("h2", { text: t("share.game.title") }),
    h("p", { class: "secondary", text: t("share.game.what") }),
    h("div", { class: "share-picture", "aria-hidden": "true" }, picture.element),
    input,
    h(
      "div",
      { class: "buttons" },
      ...createShareButtons(() => ({ text, url: link }), input, t("share.game.copy")),
      button(t("share.game.text"), () => void copy(`${text}\n${link}`, input)),
      button(t("share.game.png"), savePng),
    ),
    h("div", { class: "dialog-toasts", role: "status" }),
  );
  openOnce(dialog);
}

/**
 * A board as a PNG, made from SVG text that stands alone. The colours are those of the light or the dark set.
 */

const MARGIN = 40; // around the board, in the picture's units
const WIDTH_PX = 1200;

const PROPERTIES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
];
const DEFAULTS = new Set(["fill: rgb(0, 0, 0)", "opacity: 1", "stroke-dasharray: none"]);

/** Return a picture as the text of an SVG file. @param {Position} position @param {"light"|"dark"} scheme */
function boardSvg(position, scheme) {
  const picture = createPicture(position.variant, position);
  picture.draw({ ...position, still: true });
  const holder = h("div", { class: "board-export", "data-scheme": scheme, "aria-hidden": "true" }, picture.element);
  document.body.append(holder);
  try {
    const copy = inlined(picture.element);
    const { width, height } = picture.layout;
    const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size.width} ${size.height}`);
    for (const [name, value] of Object.entries(size)) copy.setAttribute(name, String(value));
    copy.prepend(svg("rect", { x: -MARGIN, y: -MARGIN, ...size, fill: getComputedStyle(holder).backgroundColor }));
    return new XMLSerializer().serializeToString(copy);
  } finally {
    holder.remove();
  }
}

/** Return a picture as a PNG. @param {Position} position @param {"light"|"dark"} scheme @returns {Promise<Blob>} */
async function boardPng(position, scheme) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(boardSvg(position, scheme));
  await image.decode();
  const height = Math.round((WIDTH_PX * image.naturalHeight) / image.naturalWidth);
  const canvas = h("canvas", { width: WIDTH_PX, height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
  );
}

/**
 * Copy an element with its computed style as attributes, without what is hidden.
 * @param {Element} element
 * @returns {Element}
 */
function inlined(element) {
  const copy = /** @type {Element} */ (element.cloneNode(false));
  const style = getComputedStyle(element);
  for (const name of ["class", "data-of", "data-style", "data-turn", "data-board", "aria-hidden", "style"])
    copy.removeAttribute(name);
  for (const name of element.children.length && element.tagName !== "svg" ? ["opacity"] : PROPERTIES) {
    const value = style.getPropertyValue(name);
    if (!DEFAULTS.has(`${name}: ${value}`)) copy.setAttribute(name, value);
  }
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode());
    else if (child instanceof Element && isVisible(child)) copy.append(inlined(child));
  }
  return copy;
}

/** @param {Element} element */
function isVisible(element) {
  const { display, visibility } = getComputedStyle(element);
  return display !== "none" && (visibility !== "hidden" || element.children.length > 0);
}
