import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

let tones, stored;
let copies = 0;

class FakeAudioContext {
  currentTime = 0;
  state = "running";
  createOscillator() {
    const tone = { frequency: {}, connect: (next) => next, start: () => tones.push(tone.frequency.value), stop() {} };
    return tone;
  }
  createGain() {
    const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
    return { gain, connect: (next) => next };
  }
}

/** Return the module as a page that was just loaded has it. */
async function loadSound() {
  copies += 1;
  return import(`../../client_web/js/browser/sound.js?copy=${copies}`);
}

const touch = () => window.dispatchEvent(new Event("pointerdown"));

beforeEach(() => {
  [tones, stored] = [[], new Map()];
  globalThis.window = Object.assign(new EventTarget(), { AudioContext: FakeAudioContext });
  globalThis.AudioContext = FakeAudioContext;
  window.localStorage = {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  };
});

test("the page is silent until the first touch", async () => {
  const { playSound } = await loadSound();
  playSound("X");
  assert.deepEqual(tones, []);
  touch();
  playSound("X");
  playSound("O");
  assert.equal(new Set(tones).size, 2);
});

test("the switch is remembered, and gives a sound when it goes on", async () => {
  const { onSoundChange, playSound, setSound, soundIsOn } = await loadSound();
  touch();
  const switched = [];
  const removeListener = onSoundChange(() => switched.push(soundIsOn()));
  setSound(false);
  playSound("won");
  assert.deepEqual(tones, []);
  const { soundIsOn: isOnAfterReload } = await loadSound();
  assert.equal(isOnAfterReload(), false);
  setSound(true);
  assert.equal(tones.length, 1);
  removeListener();
  setSound(false);
  assert.deepEqual(switched, [false, true]);
});

test("every event has a sound of its own", async () => {
  const { playSound } = await loadSound();
  touch();
  const melodies = ["X", "O", "turn", "arrival", "started", "won", "lost", "ended", "offer", "chat", "second"].map(
    (name) => {
      tones = [];
      playSound(name);
      return tones.join(" ");
    },
  );
  assert.equal(new Set(melodies).size, melodies.length);
  assert.ok(melodies.every(Boolean));
  playSound("no such sound");
});

test("a browser without sound misses nothing else", async () => {
  delete window.AudioContext;
  const { playSound, setSound } = await loadSound();
  touch();
  playSound("X");
  setSound(true);
});
