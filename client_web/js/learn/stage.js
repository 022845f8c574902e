import { createBoardHolder } from "../board/board.js";
import { setSentences } from "../board/chip.js";
import { button, h, setAttr, setText, show } from "../browser/dom.js";
import { wantsNoMotion } from "../browser/preferences.js";
import { warnOf } from "../net/failures.js";
import { t } from "../texts/i18n.js";
import { marksAfter } from "./small_board.js";

/**
 * What all chapters have: a board to play on, a picture that moves, a sentence about the newest step, and the buttons that
 * step through it. The picture plays when a chapter opens, unless the reader wants no motion.
 */

/** @import { MinimaxAnswer, Variant } from "../net/messages.js" */

const FIRST_MS = 700; // before the first step of a chapter that opens
const STEP_MS = 1_900; // while the picture plays

/**
 * @typedef {{onGo: (moves: string[]) => void, onRestart: () => void, onStep: (steps: number, isNew: boolean) => void,
 *   shown?: number}} Handlers
 *   `onGo` opens the position to which the reader goes, forwards or back. `onStep` draws what is seen after some steps. `isNew` is true after the newest of them, which may move. `shown` is how many
 *   steps play when the chapter opens, by default all.
 */
/** @typedef {ReturnType<typeof createStage>} Stage */

/** @param {Handlers} handlers */
export function createStage({ onGo, onRestart, onStep, shown = Infinity }) {
  let steps = 0;
  let hasOpened = wantsNoMotion();
  let count = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  let isPlaying = false;
  /** @type {Variant|null} */ let shownVariant = null;
  /** @type {readonly string[]} */ let moves = [];
  let disposed = false;
  const board = createBoardHolder({ onPlay: (cell) => onGo([...moves, cell]) });
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
  const backButton = button(t("learn.back"), () => onGo(moves.slice(0, -1)), "quiet-text");
  const restartButton = button(t("learn.restart"), onRestart, "quiet-text");
  for (const each of [stepButton, backButton]) setAttr(each, "data-repeats", "");
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

  /** @param {Variant} variant @param {Parameters<typeof board.draw>[1]} position */
  function draw(variant, position) {
    shownVariant = variant;
    board.draw(variant, position);
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
    /**
     * Ask about the position to open. Return the answer, or null if there is none or the reader has gone on.
     * @template A @param {readonly string[]} newMoves @param {(moves: readonly string[]) => Promise<A>} ask
     */
    async ask(newMoves, ask) {
      moves = newMoves;
      try {
        const answer = await ask(newMoves);
        return disposed || moves !== newMoves ? null : answer;
      } catch (error) {
        if (!disposed) warnOf(error);
        return null;
      }
    },
    draw,
    /** Draw the position of 3x3 that was asked about. @param {Variant} variant @param {MinimaxAnswer} answer */
    drawAnswer(variant, { turn, outcome, children }) {
      const legal = children.map(({ cell }) => cell);
      draw(variant, { marks: marksAfter(moves), moves, legal, turn, outcome, mark: turn });
    },
    /** Show the buttons that change the position. @param {boolean} hasMoves @param {boolean} isChanged since the beginning */
    allowBack(hasMoves, isChanged) {
      show(backButton, hasMoves);
      show(restartButton, isChanged);
    },
    dispose() {
      disposed = true;
      clearTimeout(timer);
      board.dispose();
    },
  };
}
