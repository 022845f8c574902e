import { canvasOf, createGamePicture } from "./game_picture.js";
import { encodeGif } from "./gif.js";
import { avoidableOf } from "./mistakes.js";
import { replayAt } from "./replay.js";

/**
 * A game as a moving picture, from the same drawing as the still one: the marks appear one by one, the move that lost is ringed,
 * and the line is drawn. It takes 4 to 12 seconds.
 */

/** @import { Outcome } from "../net/messages.js" */
/** @import { SharedGame } from "./game_picture.js" */

const WIDTH = 432; // in pixels
const MAX_FRAMES = 60; // with marks: a longer game shows several moves at once
const MOVES_MS = { least: 1_800, each: 550, most: 8_000 };
const RING_MS = 1_000;
const LINES = ".highlighter, .zigzag, .straight";
const LINE_FRAMES = 4;
const LINE_MS = 90;
const END_MS = 2_200;

/** @param {SharedGame} game that has its record @param {Element} holder on the page, where each frame is drawn for a moment @returns {Promise<Blob>} */
export async function gifFile(game, holder) {
  const { record, position, analysis } = game;
  if (!record) throw new Error("no record");
  const { variant } = position;
  const moves = record.moves.map(({ cell }) => cell);
  const step = Math.ceil(moves.length / MAX_FRAMES);
  const lost = avoidableOf(analysis, moves, /** @type {Outcome|null} */ (position.outcome ?? null))?.ply ?? 0;
  const total = Math.min(MOVES_MS.most, Math.max(MOVES_MS.least, MOVES_MS.each * moves.length));
  const ms = total / Math.ceil(moves.length / step);
  /** @type {import("./gif.js").Frame[]} */
  const frames = [];

  /** Add a frame. @param {SharedGame} shown @param {number} ms @param {number} [lineShare] how much of the line is drawn */
  async function add(shown, ms, lineShare) {
    const picture = createGamePicture(shown);
    picture.classList.add("frame");
    holder.append(picture);
    if (lineShare !== undefined)
      for (const line of /** @type {NodeListOf<SVGPathElement>} */ (picture.querySelectorAll(LINES)))
        line.style.strokeDasharray = `${100 * lineShare} 200`; // of a pathLength of 100
    const canvas = await canvasOf(picture, WIDTH).finally(() => picture.remove());
    const image = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
    if (image) frames.push({ pixels: image.data, ms });
    return canvas;
  }

  for (let ply = 0; ply < moves.length; ply += step) {
    const board = { ...replayAt(record, ply), variant, outcome: null };
    const isLost = lost > ply - step && lost <= ply && lost > 0;
    // The end is not told before it is there: no title, no winner's strip and no ribbon.
    const before = { ...game, title: "", analysis: null };
    await add(
      { ...before, position: { ...board, rings: isLost ? [moves[lost - 1] ?? ""] : [] } },
      isLost ? RING_MS : ms,
    );
  }
  const rings = lost === moves.length ? { rings: [moves[lost - 1] ?? ""] } : {};
  const last = { ...game, analysis, position: { ...position, ...replayAt(record, moves.length), variant, ...rings } };
  if (last.position.outcome?.cells.length)
    for (let frame = 1; frame <= LINE_FRAMES; frame++)
      await add({ ...last, title: "", analysis: null }, LINE_MS, frame / LINE_FRAMES);
  const { width, height } = await add(last, END_MS);
  return new Blob(encodeGif(frames, width, height), { type: "image/gif" });
}
