import { listen } from "./dom.js";
import { browserStorage } from "./storage.js";
import { voice } from "./toasts.js";

/**
 * Short soft sounds, synthesised, so that they need no files. They are on after the first touch, until the player
 * turns them off.
 */

const SOUND_KEY = "noughts.sound";
/**
 * Each sound as notes of [frequency in Hz, start in s, length in s].
 * @type {Record<string, [number, number, number][]>}
 */
const SOUNDS = {
  X: [[440, 0, 0.07]],
  O: [[330, 0, 0.09]],
  turn: [[659, 0.12, 0.07]], // after the mark of the opponent
  arrival: [
    [659, 0, 0.16],
    [523, 0.2, 0.26],
  ],
  started: [
    [392, 0, 0.08],
    [523, 0.09, 0.1],
  ],
  won: [
    [523, 0.52, 0.09], // with the winner's strip
    [659, 0.62, 0.09],
    [784, 0.72, 0.16],
  ],
  lost: [
    [392, 0.52, 0.12],
    [294, 0.65, 0.2],
  ],
  ended: [
    [440, 0.52, 0.1],
    [440, 0.66, 0.12],
  ],
  offer: [
    [587, 0, 0.06],
    [587, 0.1, 0.06],
  ],
  chat: [[698, 0, 0.05]],
  second: [[880, 0, 0.03]],
};
const SILENCE = 0.0001; // an exponential ramp cannot reach 0
const VOLUME = 0.08;

/** @type {AudioContext|null} */
let context = null;
let isTouched = false; // before the first touch or key the browser lets no page sound
const switched = new EventTarget();

for (const type of ["pointerdown", "keydown"])
  listen(window, type, () => (isTouched = true), { once: true, capture: true });

export const soundIsOn = () => browserStorage.get(SOUND_KEY) !== "off"; // another tab has the switch too

/** Listen to the switch. @param {() => void} listener @returns {() => void} removes the listener */
export const onSoundChange = (listener) => listen(switched, "change", listener);

/** @param {boolean} on */
export function setSound(on) {
  browserStorage.set(SOUND_KEY, on ? null : "off");
  switched.dispatchEvent(new Event("change"));
  if (on) playSound("X");
}

/** Play a sound, in the tab that speaks. @param {string} name */
export function playSound(name) {
  if (!isTouched || !voice.isHere() || !soundIsOn() || !window.AudioContext) return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  const now = context.currentTime;
  for (const [frequency, start, length] of SOUNDS[name] ?? []) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = "sine";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(SILENCE, now + start);
    volume.gain.exponentialRampToValueAtTime(VOLUME, now + start + 0.01);
    volume.gain.exponentialRampToValueAtTime(SILENCE, now + start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(now + start);
    tone.stop(now + start + length + 0.02);
  }
}
