import { lasting } from "./storage.js";

/** Short synthesised tones, off until asked for: no file to fetch, and nothing plays without a person's wish. */

const KEY = "noughts.sound";
/** Notes as [frequency, start, length] in Hz and seconds. @type {Record<string, [number, number, number][]>} */
const TUNES = {
  X: [[440, 0, 0.07]],
  O: [[330, 0, 0.09]],
  started: [[392, 0, 0.08], [523, 0.09, 0.1]],
  won: [[523, 0, 0.09], [659, 0.1, 0.09], [784, 0.2, 0.16]],
  lost: [[392, 0, 0.12], [294, 0.13, 0.2]],
  ended: [[440, 0, 0.1], [440, 0.14, 0.12]],
  asked: [[587, 0, 0.06], [587, 0.1, 0.06]],
};

/** @type {AudioContext|null} */
let context = null;
let wanted = lasting.get(KEY) === "on";

export const soundOn = () => wanted;

/** @param {boolean} on */
export function setSound(on) {
  wanted = on;
  lasting.set(KEY, on ? "on" : null);
  if (on) play("X");
}

/** @param {keyof typeof TUNES} name */
export function play(name) {
  if (!wanted || !window.AudioContext) return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  const now = context.currentTime;
  for (const [frequency, start, length] of TUNES[name] ?? []) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, now + start);
    volume.gain.exponentialRampToValueAtTime(0.12, now + start + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.0001, now + start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(now + start);
    tone.stop(now + start + length + 0.02);
  }
}
