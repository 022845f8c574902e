import { createBoardHolder } from "../board/board.js";
import { setSentences } from "../board/chip.js";
import { button, h, setAttr, setText, show } from "../browser/dom.js";
import { wantsNoMotion } from "../browser/preferences.js";
import { t } from "../texts/i18n.js";

/**
 * What all chapters have: a board to play on, a picture that moves, a sentence about the newest step, and the buttons that
 * step through it. The picture plays when a chapter opens, unless the reader wants no motion.
 */

const FIRST_MS = 700; // before the first step of a chapter that opens
const STEP_MS = 1_900; // while the picture plays

/**
 * @typedef {{onPlay: (cell: string) => void, onBack: () => void, onRestart: () => void,
 *   onStep: (steps: number, isNew: boolean) => void, shown?: number}} Handlers
 *   `onStep` draws what is seen after some steps. `isNew` is true after the newest of them, which may move. `shown` is how many
 *   steps play when the chapter opens, by default all.
 */
/** @typedef {ReturnType<typeof createStage>} Stage */

/** @param {Handlers} handlers */
export function createStage({ onPlay, onBack, onRestart, onStep, shown = Infinity }) {
  let steps = 0;
  let hasOpened = wantsNoMotion();
  let count = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  let isPlaying = false;
  /** @type {import("../net/messages.js").Variant|null} */ let shownVariant = null;
  const board = createBoardHolder({ onPlay });
  const sentence = h("p", { class: "learn-sentence", role: "status" });
  const figures = h("p", { class: "learn-figures" });
  const stepButton = button(
    t("learn.step"),
    () => {
      pause();
      showAll();
      step();
    },
    "primary",
  );
  const playButton = button(t("learn.play"), () => (isPlaying ? pause() : play()));
  const backButton = button(t("learn.back"), onBack, "quiet-text");
  const restartButton = button(t("learn.restart"), onRestart, "quiet-text");
  const picture = h("div", { class: "learn-picture" });
  const element = h(
    "div",
    { class: "stage" },
    h("div", { class: "learn-board" }, board.element),
    h("div", { class: "learn-words" }, sentence, figures),
    h("div", { class: "learn-controls" }, stepButton, playButton, backButton, restartButton),
    picture,
  );

  /** Bring the whole stage into sight, where a phone shows its upper part only. */
  function showAll() {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom <= innerHeight || top <= 0) return;
    scrollBy(0, Math.min(top, bottom - innerHeight));
  }

  function step() {
    if (steps < count) {
      steps += 1;
      onStep(steps, true);
    }
    drawButtons();
  }

  function play() {
    if (steps >= count) begin(count);
    showAll();
    playUntil(count, 0);
  }

  /** @param {number} end @param {number} afterMs */
  function playUntil(end, afterMs) {
    isPlaying = true;
    setAttr(sentence, "aria-live", "off"); // a screen reader could not keep up
    timer = setTimeout(function goOn() {
      step();
      if (steps >= end) pause();
      else timer = setTimeout(goOn, STEP_MS);
    }, afterMs);
    drawButtons();
  }

  function pause() {
    clearTimeout(timer);
    isPlaying = false;
    setAttr(sentence, "aria-live", "polite");
    drawButtons();
  }

  function drawButtons() {
    stepButton.disabled = steps >= count;
    playButton.disabled = count === 0;
    setText(playButton, t(isPlaying ? "learn.pause" : "learn.play"));
  }

  /** Show the picture before its first step. @param {number} newCount of all steps */
  function begin(newCount) {
    clearTimeout(timer);
    isPlaying = false;
    steps = 0;
    count = newCount;
    onStep(0, false);
    drawButtons();
    if (!hasOpened && count) playUntil(Math.min(count, shown), FIRST_MS);
    hasOpened = true;
  }

  return {
    element,
    picture,
    begin,
    pause,
    /** Say that so many steps were made, by the reader. @param {number} n */
    jump(n) {
      steps = n;
      drawButtons();
    },
    /** @param {string} text */
    say: (text) => setSentences(sentence, [{ text }], shownVariant),
    /** Show the counts below the sentence. @param {string} text */
    count: (text) => setText(figures, text),
    /** @param {import("../net/messages.js").Variant} variant @param {Parameters<typeof board.draw>[1]} position */
    draw(variant, position) {
      shownVariant = variant;
      board.draw(variant, position);
    },
    /** Show the buttons that change the position. @param {boolean} hasMoves @param {boolean} isChanged since the beginning */
    allowBack(hasMoves, isChanged) {
      show(backButton, hasMoves);
      show(restartButton, isChanged);
    },
    dispose() {
      clearTimeout(timer);
      board.dispose();
    },
  };
}
