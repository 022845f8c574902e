import { reasonOf, warnOf } from "../net/failures.js";
import { createBoardHolder } from "../board/board.js";
import { cellMark, cellText, sentenceText } from "../board/cell_text.js";
import { setSentences } from "../board/chip.js";
import { button, h, labelledSelect, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { announce, warn } from "../browser/toasts.js";
import { allVariants, knownVariant, request } from "../net/api.js";
import { learnUrl, pageAt, puzzleLink, puzzleUrl, setAddress } from "../net/urls.js";
import { opponentOf } from "../net/view.js";
import { copy, shareByDevice } from "../room/invitations.js";
import { t } from "../texts/i18n.js";
import { dayText } from "../texts/moments.js";
import { rememberSolved, wasSolved } from "./daily.js";
import { isOpen, isSolved, isWrong, NO_PUZZLE, shownPosition, update } from "./state.js";

/**
 * The page of puzzles: a position in which one move is right. The server judges each try, and sends the position after it,
 * so the page holds no rules and no answer. A wrong move is punished on the board, and then taken back.
 */

/** @import { DailyPuzzle, Puzzle, PuzzleJudgement, Variant } from "../net/messages.js" */
/** @import { Change, PuzzleState } from "./state.js" */

const LIFT_MS = 1_500; // how long a wrong move and its punishment stay on the board
const GRADES = ["1", "2", "3", "4", "5"];
const SQUARES = { right: "🟩", wrong: "🟥" };
const DAY = /** @type {const} */ ({ weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });

/**
 * @param {{root: HTMLElement, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
export function puzzlePage({ root }) {
  let disposed = false;
  let state = NO_PUZZLE;
  /** @type {DailyPuzzle|null} */ let daily = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let lifting;

  const heading = h("h1", { class: "visually-hidden", tabindex: -1, text: t("puzzle.title") });
  const board = createBoardHolder({ onPlay: (cell) => void play(cell) });
  const title = h("h2", { class: "outcome" });
  const day = h("p", { class: "secondary" });
  const rule = h("p");
  const sentence = h("p", { class: "review-sentence" });
  const shareButton = button(t("share"), () => share(), "primary");
  const lineButton = button(t("puzzle.show"), () => showLine());
  const nextButton = button(t("puzzle.next"), () => next(), "quiet-text");
  const output = h("textarea", { class: "link", readonly: true, rows: 4, "aria-label": t("share"), hidden: true });
  const game = labelledSelect(t("puzzle.game"), [
    { value: "", text: t("puzzle.any_game") },
    ...allVariants().map(({ key, name }) => ({ value: key, text: name })),
  ]);
  const grade = labelledSelect(t("puzzle.grade"), [
    { value: "", text: t("puzzle.any_grade") },
    ...GRADES.map((n) => ({ value: n, text: t("puzzle.grade.n", { n }) })),
  ]);
  for (const select of [game.select, grade.select]) select.addEventListener("change", () => void next({ fresh: true }));
  const element = h(
    "div",
    { class: "room replay puzzle" },
    heading,
    h("div", { class: "board-area" }, board.element),
    h(
      "div",
      { class: "zone" },
      h("section", { class: "outcome-card" }, day, title, rule, sentence, output),
      h("div", { class: "puzzle-filter" }, game.element, grade.element),
      h("p", { class: "secondary" }, pageLink(learnUrl(), { text: t("learn.link") })),
    ),
    h("div", { class: "commands" }, shareButton, lineButton, nextButton),
  );
  root.replaceChildren(element);
  document.title = `${t("puzzle.title")} · ${t("app.name")}`;
  void load();

  /** @param {Change} change */
  function dispatch(change) {
    if (disposed) return;
    state = update(state, change);
    draw();
  }

  async function load() {
    try {
      const { id } = pageAt(location.pathname);
      daily = await request("GET", "puzzles/daily").catch((error) => {
        if (!id) throw error;
        return null;
      });
      const isDaily = !id || id === daily?.puzzle.id;
      const puzzle = isDaily && daily ? daily.puzzle : await request("GET", `puzzles/${encodeURIComponent(id ?? "")}`);
      if (!disposed) begin(puzzle);
    } catch (error) {
      if (!disposed) showFailure(reasonOf(error));
    }
  }

  /** @param {string} message */
  function showFailure(message) {
    setText(title, message);
    board.element.replaceChildren(
      h(
        "div",
        { class: "board-placeholder" },
        button(t("error.retry"), () => load(), "primary"),
      ),
    );
  }

  /** Begin a puzzle, and put it into the address bar. @param {Puzzle} puzzle */
  function begin(puzzle) {
    const path = puzzleUrl(puzzle.id);
    if (path !== location.pathname) setAddress(path);
    dispatch({ type: "begin", puzzle });
    announce(title.textContent ?? "");
  }

  /** Show the next puzzle that fits the choices. @param {{fresh?: boolean}} [options] fresh begins with the first */
  async function next({ fresh = false } = {}) {
    const query = new URLSearchParams();
    if (game.select.value) query.set("variant", game.select.value);
    if (grade.select.value) query.set("grade", grade.select.value);
    if (state.puzzle && !fresh) query.set("after", state.puzzle.id);
    try {
      const answer = await request("GET", `puzzles?${query}`);
      if (disposed) return;
      if (answer.puzzle) begin(answer.puzzle);
      else warn(t("puzzle.none"));
    } catch (error) {
      warnOf(error);
    }
  }

  /** @param {{moves: string[], give_up?: boolean}} body @returns {Promise<PuzzleJudgement|null>} */
  async function judge(body) {
    const { puzzle: judged } = state;
    if (!judged) return null;
    try {
      const answer = await request("POST", `puzzles/${encodeURIComponent(judged.id)}/tries`, { body });
      return disposed || judged !== state.puzzle ? null : answer;
    } catch (error) {
      warnOf(error);
      return null;
    }
  }

  /** Try a move. @param {string} cell */
  async function play(cell) {
    const { puzzle, pending, tried } = state;
    if (!puzzle || pending || !isOpen(state)) return;
    dispatch({ type: "try", cell });
    const judgement = await judge({ moves: [...tried, cell] });
    if (state.puzzle !== puzzle || disposed) return;
    dispatch({ type: "judged", cell, judgement });
    if (!judgement) return;
    if (isSolved(state)) {
      rememberSolved(puzzle.id);
      void board.celebrate("solved")?.catch(() => {});
    }
    if (isWrong(state)) lifting = setTimeout(() => dispatch({ type: "lift", judgement }), LIFT_MS);
    const reply =
      judgement.reply && t("event.moved", { cell: cellText(judgement.reply), mark: opponentOf(puzzle.turn) });
    announce(
      [isSolved(state) ? title.textContent : "", reply, sentenceText(sentenceOf(state))].filter(Boolean).join(" "),
    );
  }

  /** Give up: show the end of the line, and the line in words. */
  async function showLine() {
    const judgement = await judge({ moves: [], give_up: true });
    if (!judgement) return;
    dispatch({ type: "line", judgement });
    announce(sentenceText(sentenceOf(state)));
  }

  /** Share the puzzle with a square for each try, which does not give the answer away. */
  function share() {
    const url = puzzleLink(state.puzzle?.id ?? "");
    const squares = state.tries.map((isRight) => (isRight ? SQUARES.right : SQUARES.wrong)).join("");
    const text = `${t("app.name")} · ${day.textContent}\n${squares}`;
    return typeof navigator.share === "function"
      ? shareByDevice({ text, url })
      : copy(`${text}\n${url}`, output, t("share.game.copied"));
  }

  function draw() {
    const { puzzle, judgement, pending } = state;
    const variant = knownVariant(puzzle?.variant);
    const shown = shownPosition(state);
    if (!puzzle || !variant || !shown) return;
    const isDone = judgement?.done ?? false;
    setAttr(element, "data-ending", isSolved(state) ? "won" : null);
    board.draw(variant, {
      ...shown,
      outcome: "outcome" in shown ? shown.outcome : null,
      mark: isOpen(state) || pending ? puzzle.turn : null,
      legal: isOpen(state) ? shown.legal : [],
      pending,
    });
    setText(title, isSolved(state) ? t("puzzle.solved") : t(`puzzle.task.${puzzle.kind}`, { mark: puzzle.turn }));
    setAttr(title, "data-winner", isSolved(state) ? puzzle.turn : null);
    const name = puzzle.id === daily?.puzzle.id ? t("puzzle.of", { day: dayText(Date.parse(daily.date), DAY) }) : "";
    setText(day, [name || variant.name, t("puzzle.grade.n", { n: puzzle.grade })].join("\u00a0·\u00a0"));
    setText(rule, `${variant.name}: ${ruleOf(variant)}`);
    setSentences(sentence, [{ text: sentenceOf(state) }], variant);
    show(lineButton, !isDone);
    show(nextButton, isDone || wasSolved(puzzle.id));
    show(shareButton, isSolved(state));
    document.title = `${title.textContent} · ${variant.name}`;
  }

  return () => {
    disposed = true;
    clearTimeout(lifting);
    board.dispose();
  };
}

/** Return the rule of a game in one line. @param {Variant} variant */
function ruleOf({ nested, misere, marks_kept, line }) {
  if (nested) return t("puzzle.rule.nested");
  if (misere) return t("puzzle.rule.misere");
  return marks_kept
    ? t("puzzle.rule.kept")
    : t(line === 3 ? "puzzle.rule.3" : line === 4 ? "puzzle.rule.4" : "puzzle.rule.5");
}

/** Return what to say about the last try. @param {PuzzleState} state */
function sentenceOf(state) {
  const { puzzle, judgement } = state;
  if (!puzzle || isSolved(state)) return "";
  if (!judgement) return wasSolved(puzzle.id) ? t("puzzle.seen") : "";
  if (judgement.line) return t("puzzle.line", { line: judgement.line.map(cellMark).join(" ") });
  if (judgement.right) return t("puzzle.right");
  const { verdict } = judgement;
  const mark = opponentOf(puzzle.turn);
  if (!verdict) return t("puzzle.wrong.over");
  if (verdict.value === "draw") return t("puzzle.wrong.draw");
  if (verdict.value !== "win") return t("puzzle.wrong");
  return verdict.plies === null
    ? t("puzzle.wrong.win", { mark })
    : t("puzzle.wrong.win.plies", { mark, n: verdict.plies });
}
