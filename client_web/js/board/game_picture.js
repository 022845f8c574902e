import { svg } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { createMark } from "./marks.js";
import { valuesOf } from "./mistakes.js";
import { dottedPlies } from "./ribbon.js";
import { createPicture } from "./picture.js";

/**
 * The picture of a finished game, to share: the players, the board, the outcome and the ribbon. It is drawn in the page, in the
 * page's colours, and becomes an SVG that stands alone, or a PNG.
 */

/** @import { GameRecord, Mark, Position as Valued } from "../net/messages.js" */
/** @import { Position } from "./picture.js" */

/**
 * @typedef {{position: Position, name: string, title: string, players: Record<Mark, string>|null,
 *   analysis: readonly Valued[]|null, record: GameRecord|null, series?: SharedSeries|null}} SharedGame
 *   `name` is the variant's, and `title` says how the game ended. Without `analysis` there is no ribbon
 * @typedef {{text: string, score: Record<Mark, number>, games: {position: Position, caption: string}[]}} SharedSeries
 *   The games of a series in place of one. `text` is their link's, and `score` is by the marks of the newest game
 */

const WIDTH = 1080;
const HEIGHT = 1350;
const MARGIN = 72;
const INNER = WIDTH - 2 * MARGIN;
const STRIP = 88;
const BOARD_TOP = 52;
const BOARD_BOTTOM = 1040;
const TITLE = { baseline: 1148, size: 80 };
const RIBBON = { top: 1194, height: 48 };
const FOOT = { baseline: 1314, size: 32 };
const CAPTION = { height: 48, size: 30 };
const GAP = 24; // between the boards of a series

/** Where a segment of the ribbon begins and how high it is, for each value. */
const SEGMENTS = {
  X: [0, RIBBON.height],
  O: [RIBBON.height / 2, RIBBON.height / 2],
  draw: [RIBBON.height / 3, RIBBON.height / 3],
  unknown: [0, RIBBON.height],
};

const context = document.createElement("canvas").getContext("2d");

/** Create a text that is no wider than a width. @param {string} text @param {Record<string, string|number>} attributes @param {number} size @param {number} width */
function createText(text, attributes, size, width) {
  if (context) context.font = `700 ${size}px ${getComputedStyle(document.body).fontFamily}`;
  const needed = context?.measureText(text).width ?? 0;
  const node = svg("text", { ...attributes, text });
  node.style.fontSize = `${Math.floor(size * Math.min(1, width / needed))}px`;
  return node;
}

/** Create a player's strip. @param {SharedGame} game @param {Mark} mark @param {number} top */
function createStrip({ players, position, series }, mark, top) {
  if (!players) return [];
  const winner = winnerOf({ position, series }) === mark ? "winner" : "loser";
  const end = { x: INNER - 24, y: 60, "text-anchor": "end" };
  const score = series ? [createText(String(series.score[mark]), end, 44, 80)] : [];
  const node = svg(
    "g",
    { class: `strip ${mark.toLowerCase()} ${winner}`, transform: `translate(${MARGIN} ${top})` },
    svg("rect", { width: INNER, height: STRIP, rx: 24 }),
    createMark(mark, "strokes", "translate(16 10) scale(.68)"),
    createText(players[mark], { x: 104, y: 60 }, 44, INNER - (series ? 228 : 128)),
    ...score,
  );
  return [node];
}

/** Return who has won the game, or more games of the series. @param {Pick<SharedGame, "position"|"series">} game @returns {Mark|null} */
function winnerOf({ position, series }) {
  if (!series) return position.outcome?.winner ?? null;
  const lead = series.score.X - series.score.O;
  return lead > 0 ? "X" : lead < 0 ? "O" : null;
}

/** Create the board, or those of a series, as large as there is space. @param {SharedGame} game */
function createBoards({ position, players, series }) {
  const space = players ? STRIP + 28 : 0;
  const [top, most] = [BOARD_TOP + space, BOARD_BOTTOM - BOARD_TOP - 2 * space];
  if (!series) return [createBoard(position, { x: MARGIN, y: top, width: INNER, height: most })];
  const { games } = series;
  const sizeOf = (/** @type {number} */ columns) =>
    Math.min(
      (INNER - (columns - 1) * GAP) / columns,
      most / Math.ceil(games.length / columns) - CAPTION.height - GAP / 2,
    );
  const columns = games.map((_, index) => index + 1).reduce((best, n) => (sizeOf(n) > sizeOf(best) ? n : best), 1);
  const size = sizeOf(columns);
  const height = Math.ceil(games.length / columns) * (size + CAPTION.height + GAP / 2);
  return games.flatMap((game, index) => {
    const inRow = Math.min(columns, games.length - index + (index % columns));
    const x = (WIDTH - inRow * size - (inRow - 1) * GAP) / 2 + (index % columns) * (size + GAP);
    const y = top + (most - height) / 2 + Math.floor(index / columns) * (size + CAPTION.height + GAP / 2);
    const caption = { class: "caption", x: x + size / 2, y: y + size + CAPTION.height - 14, "text-anchor": "middle" };
    return [
      createBoard(game.position, { x, y, width: size, height: size }),
      createText(game.caption, caption, CAPTION.size, size),
    ];
  });
}

/** Create a board in the middle of a box. @param {Position} position @param {{x: number, y: number, width: number, height: number}} box */
function createBoard(position, box) {
  const board = createPicture(position.variant, position);
  board.draw({ ...position, still: true });
  const { width, height } = board.layout;
  const scale = Math.min(box.width / width, box.height / height);
  const [x, y] = [box.x + (box.width - width * scale) / 2, box.y + (box.height - height * scale) / 2];
  const { className, dataset } = board.element;
  return svg(
    "g",
    {
      class: /** @type {SVGAnimatedString} */ (/** @type {unknown} */ (className)).baseVal,
      "data-style": dataset["style"] ?? "",
      transform: `translate(${x} ${y}) scale(${scale})`,
    },
    ...board.element.childNodes,
  );
}

/** Create the ribbon, with a dot below each mistake. @param {SharedGame} game */
function createRibbon({ position: { moves = [], outcome }, analysis, series }) {
  if (series) return [];
  const end = /** @type {import("../net/messages.js").Outcome|null} */ (outcome ?? null);
  const values = analysis && end ? valuesOf(analysis, end).slice(1) : [];
  if (values.every((value) => value === null)) return [];
  const dots = dottedPlies(analysis, moves, end);
  const step = INNER / moves.length;
  const segments = values.flatMap((value, index) => {
    const [y = 0, height = 0] = SEGMENTS[value ?? "unknown"];
    const x = index * step;
    const width = step - Math.min(6, step / 4);
    return [
      svg("rect", { class: `segment-${value ?? "unknown"}`, x, y, width, height, rx: Math.min(6, width / 2) }),
      ...(dots.has(index + 1)
        ? [svg("circle", { class: "dot", cx: x + width / 2, cy: RIBBON.height + 14, r: 7 })]
        : []),
    ];
  });
  return [svg("g", { class: "segments", transform: `translate(${MARGIN} ${RIBBON.top})` }, ...segments)];
}

/** Create the picture of a game. @param {SharedGame} game */
export function createGamePicture(game) {
  const { name, title } = game;
  const middle = { x: WIDTH / 2, "text-anchor": "middle", direction: document.documentElement.dir || "ltr" };
  const winner = winnerOf(game) ?? "none";
  return svg(
    "svg",
    { class: "board-picture game-picture", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, direction: "ltr" },
    svg("rect", { class: "paper", width: WIDTH, height: HEIGHT }),
    ...createStrip(game, "X", BOARD_TOP),
    ...createBoards(game),
    ...createStrip(game, "O", BOARD_BOTTOM - STRIP),
    createText(title, { ...middle, class: `title won-by-${winner}`, y: TITLE.baseline }, TITLE.size, INNER),
    ...createRibbon(game),
    createText(`${t("app.name")} · ${name}`, { ...middle, class: "foot", y: FOOT.baseline }, FOOT.size, INNER),
  );
}

/** Return a picture that is on the page as the text of an SVG file. @param {Element} picture */
export function svgFile(picture) {
  const copy = inlined(picture);
  for (const [attribute, value] of Object.entries({
    xmlns: "http://www.w3.org/2000/svg",
    width: WIDTH,
    height: HEIGHT,
  }))
    copy.setAttribute(attribute, String(value));
  return new XMLSerializer().serializeToString(copy);
}

const KNOWN = [18, 52, 86, 255];

/**
 * Draw a picture that is on the page. Throw an error if the browser returns altered pixels, which hinders fingerprinting.
 * @param {Element} picture @param {number} [width] in pixels
 */
export async function canvasOf(picture, width = WIDTH) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgFile(picture));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = (width * HEIGHT) / WIDTH;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no canvas");
  context.fillStyle = `rgb(${KNOWN.slice(0, 3)})`;
  context.fillRect(0, 0, 8, 8);
  const pixels = context.getImageData(0, 0, 8, 8).data;
  if (pixels.some((value, n) => value !== KNOWN[n % 4])) throw new Error("the canvas is altered");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** Return a picture that is on the page as a PNG. @param {Element} picture @returns {Promise<Blob>} */
export async function pngFile(picture) {
  const canvas = await canvasOf(picture);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
  );
}

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
const DEFAULTS = new Set(["opacity: 1", "stroke-dasharray: none"]);

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
