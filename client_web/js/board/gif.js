/**
 * An encoder of animated GIFs with one palette for all frames. A frame holds only the rectangle in which it differs from the one
 * before, so a game of many moves stays small.
 */

/** @typedef {{pixels: Uint8ClampedArray, ms: number}} Frame  RGBA, and how long the frame is shown */

const COLOURS = 128;
const BITS = 7;
const CLEAR = COLOURS;
const END = COLOURS + 1;
const MAX_CODE = 4096;
const BLOCK = 255;

/** Return the key of a pixel: five bits of each colour. @param {Uint8ClampedArray} pixels @param {number} at */
const keyAt = (pixels, at) =>
  (((pixels[at] ?? 0) >> 3) << 10) | (((pixels[at + 1] ?? 0) >> 3) << 5) | ((pixels[at + 2] ?? 0) >> 3);

/** Return the most frequent colours of the frames by their keys, with the mean of the pixels of each. @param {readonly Frame[]} frames */
function paletteOf(frames) {
  /** @type {Map<number, [number, number, number, number]>} */
  const sums = new Map();
  for (const { pixels } of frames)
    for (let at = 0; at < pixels.length; at += 4) {
      const key = keyAt(pixels, at);
      const sum = sums.get(key) ?? [0, 0, 0, 0];
      sum[0]++;
      for (const part of /** @type {const} */ ([0, 1, 2]))
        sum[part + 1] = (sum[part + 1] ?? 0) + (pixels[at + part] ?? 0);
      sums.set(key, sum);
    }
  const frequent = [...sums.values()].sort(([a], [b]) => b - a).slice(0, COLOURS);
  return frequent.map(([n, ...parts]) => parts.map((part) => Math.round(part / n)));
}

/** Return each pixel of a frame as the nearest colour of the palette. @param {Frame} frame @param {number[][]} palette @param {Map<number, number>} nearest */
function indexed({ pixels }, palette, nearest) {
  const indices = new Uint8Array(pixels.length / 4);
  for (let n = 0; n < indices.length; n++) {
    const key = keyAt(pixels, n * 4);
    let index = nearest.get(key);
    if (index === undefined) {
      const distances = palette.map((colour) =>
        colour.reduce((sum, part, at) => sum + (part - (pixels[n * 4 + at] ?? 0)) ** 2, 0),
      );
      index = distances.indexOf(Math.min(...distances));
      nearest.set(key, index);
    }
    indices[n] = index;
  }
  return indices;
}

/** Return the rectangle in which two frames differ; of one pixel if they are equal. @param {Uint8Array} before @param {Uint8Array} after @param {number} width */
function changedBox(before, after, width) {
  let [left, top, right, bottom] = [width, after.length, 0, 0];
  for (let n = 0; n < after.length; n++) {
    if (before[n] === after[n]) continue;
    const [x, y] = [n % width, Math.floor(n / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return left > right
    ? { left: 0, top: 0, width: 1, height: 1 }
    : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Compress colours by LZW, in blocks. @param {Uint8Array} indices @returns {number[]} */
function compress(indices) {
  /** @type {number[]} */
  const bytes = [];
  let [held, heldBits, size] = [0, 0, BITS + 1];
  /** @type {Map<number, number>} */
  let table = new Map();
  let next = END + 1;
  const put = (/** @type {number} */ code) => {
    held |= code << heldBits;
    for (heldBits += size; heldBits >= 8; heldBits -= 8) {
      bytes.push(held & 255);
      held >>>= 8;
    }
  };
  put(CLEAR);
  let prefix = indices[0] ?? 0;
  for (const index of indices.subarray(1)) {
    const pair = (prefix << 8) | index;
    const code = table.get(pair);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    prefix = index;
    if (next === MAX_CODE) {
      put(CLEAR);
      [table, next, size] = [new Map(), END + 1, BITS + 1];
    } else {
      if (next === 1 << size) size++;
      table.set(pair, next++);
    }
  }
  put(prefix);
  if (next === 1 << size && next < MAX_CODE) size++;
  put(END);
  if (heldBits) bytes.push(held & 255);
  const blocks = [BITS];
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = bytes.slice(at, at + BLOCK);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}

/** @param {number} value */
const word = (value) => [value & 255, value >> 8];
const ascii = (/** @type {string} */ text) => [...text].map((character) => character.charCodeAt(0));

/** Return the bytes of an animation that is shown again and again. @param {readonly Frame[]} frames @param {number} width @param {number} height */
export function encodeGif(frames, width, height) {
  const palette = paletteOf(frames);
  /** @type {Map<number, number>} */
  const nearest = new Map();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  const write = (/** @type {number[]} */ bytes) => parts.push(Uint8Array.from(bytes));
  write([...ascii("GIF89a"), ...word(width), ...word(height), 0x80 | (BITS - 1), 0, 0]);
  write(Array.from({ length: COLOURS }, (_, n) => palette[n] ?? [0, 0, 0]).flat());
  write([0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, ...word(0), 0]);
  /** @type {Uint8Array|null} */
  let before = null;
  for (const frame of frames) {
    const indices = indexed(frame, palette, nearest);
    const box = before ? changedBox(before, indices, width) : { left: 0, top: 0, width, height };
    const changed = new Uint8Array(box.width * box.height);
    for (let row = 0; row < box.height; row++) {
      const from = (box.top + row) * width + box.left;
      changed.set(indices.subarray(from, from + box.width), row * box.width);
    }
    write([0x21, 0xf9, 4, 4, ...word(Math.round(frame.ms / 10)), 0, 0]);
    write([0x2c, ...word(box.left), ...word(box.top), ...word(box.width), ...word(box.height), 0]);
    parts.push(Uint8Array.from(compress(changed)));
    before = indices;
  }
  write([0x3b]);
  return parts;
}
