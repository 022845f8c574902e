import { reasonOf, warnOf } from "../net/failures.js";
import { createBoardHolder } from "../board/board.js";
import { button, h, labelledSelect, linkInput, pageLink, setText, show } from "../browser/dom.js";
import { announce, warn } from "../browser/toasts.js";
import { browserStorage } from "../browser/storage.js";
import { allVariants, request } from "../net/api.js";
import { learnUrl, puzzleIdFrom, puzzleLink, puzzleUrl, setAddress } from "../net/urls.js";
import { createShareButtons } from "../room/invitations.js";
import { t } from "../texts/i18n.js";
import { isOpen, isSolved, NO_PUZZLE, update } from "./state.js";

/**
 * The page of puzzles: a position in which one move is right. The server judges each try, and sends the position after it,
 * so the page holds no rules and no answer. The browser remembers which puzzles it solved.
 */

/** @import { Puzzle, PuzzleJudgement } from "../net/messages.js" */
/** @import { Change, PuzzleState } from "./state.js" */

const SOLVED_KEY = "noughts.puzzles";
/** The most solved puzzles that are remembered. The oldest give way. */
const MAX_SOLVED = 2_000;
const GRADES = ["1", "2", "3", "4", "5"];

/** @returns {string[]} the ids of the puzzles that this browser solved, oldest first */
const solvedPuzzles = () => {
  const ids = browserStorage.load(SOLVED_KEY);
  return Array.isArray(ids) ? ids : [];
};

/** @param {string} id */
function rememberSolved(id) {
  const others = solvedPuzzles().filter((other) => other !== id);
  browserStorage.set(SOLVED_KEY, JSON.stringify([...others, id].slice(-MAX_SOLVED)));
}

/**
 * @param {{root: HTMLElement, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
export function puzzlePage({ root }) {
  let disposed = false;
  const variants = allVariants();
  let state = NO_PUZZLE;

  const heading = h("h1", { class: "visually-hidden", tabindex: -1, text: t("puzzle.title") });
  const board = createBoardHolder({ onPlay: (cell) => void play(cell) });
  const title = h("h2", { class: "outcome" });
  const reason = h("p", { class: "secondary" });
  const sentence = h("p", { class: "review-sentence" });
  const againButton = button(t("puzzle.again"), tryAgain, "primary");
  const lineButton = button(t("puzzle.show"), () => void showLine());
  const nextButton = button(t("puzzle.next"), () => void next(), "primary");
  const link = linkInput(t("share.link"));
  show(link, false);
  const shareButtons = createShareButtons(
    () => ({ text: title.textContent ?? "", url: puzzleLink(state.puzzle?.id ?? "") }),
    link,
    t("share.game.copy"),
  );
  const game = labelledSelect(t("puzzle.game"), [
    { value: "", text: t("puzzle.any_game") },
    ...variants.map(({ key, name }) => ({ value: key, text: name })),
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
      h("section", { class: "outcome-card" }, title, reason, sentence, link),
      h("div", { class: "puzzle-filter" }, game.element, grade.element),
      h("p", { class: "secondary" }, pageLink(learnUrl(), { text: t("learn.link") })),
    ),
    h("div", { class: "commands" }, againButton, nextButton, lineButton, ...shareButtons),
  );
  root.replaceChildren(element);
  document.title = `${t("puzzle.title")} · ${t("app.name")}`;
  void load();

  /** @param {Change} change */
  function dispatch(change) {
    state = update(state, change);
    draw();
  }

  async function load() {
    try {
      const id = puzzleIdFrom(location.pathname);
      const first = id
        ? await request("GET", `puzzles/${encodeURIComponent(id)}`)
        : await request("GET", "puzzles/daily");
      if (!disposed) begin(id ? first : first.puzzle);
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
        button(t("error.retry"), () => void load(), "primary"),
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
    if (state.puzzle !== puzzle) return;
    dispatch({ type: "judged", cell, judgement });
    if (judgement && isSolved(state)) rememberSolved(puzzle.id);
    announce([title.textContent, sentence.textContent].filter(Boolean).join(" "));
  }

  /** Go back to the position before the wrong move. */
  function tryAgain() {
    dispatch({ type: "again" });
    board.focus();
  }

  /** Give up: show the end of the line, and the line in words. */
  async function showLine() {
    const judgement = await judge({ moves: [], give_up: true });
    if (!judgement) return;
    dispatch({ type: "line", judgement });
    announce(sentence.textContent ?? "");
  }

  function draw() {
    const { puzzle, judgement, pending } = state;
    const variant = variants.find(({ key }) => key === puzzle?.variant);
    if (!puzzle || !variant) return;
    const shown = judgement?.position ?? puzzle;
    board.draw(variant, {
      ...shown,
      outcome: judgement?.position.outcome ?? null,
      mark: isOpen(state) || pending ? puzzle.turn : null,
      legal: isOpen(state) ? shown.legal : [],
      pending,
    });
    setText(title, isSolved(state) ? t("puzzle.solved") : t(`puzzle.task.${puzzle.kind}`, { mark: puzzle.turn }));
    setText(sentence, sentenceOf(state));
    setText(reason, [variant.name, t("puzzle.grade.n", { n: puzzle.grade })].join(" · "));
    show(againButton, judgement !== null && !judgement.right && !judgement.done);
    show(lineButton, !judgement?.done);
    show(nextButton, judgement?.done ?? false);
    for (const shareButton of shareButtons) show(shareButton, judgement?.done ?? false);
    document.title = `${title.textContent} · ${variant.name}`;
  }

  return () => {
    disposed = true;
    board.dispose();
  };
}

/** Return what to say about the last try. @param {PuzzleState} state */
function sentenceOf({ puzzle, judgement, cell }) {
  if (!puzzle) return "";
  if (!judgement) return solvedPuzzles().includes(puzzle.id) ? t("puzzle.seen") : "";
  if (judgement.line) return t("puzzle.line", { line: judgement.line.join(" ") });
  if (judgement.right) return t("puzzle.right", { reply: judgement.reply ?? "" });
  const { verdict } = judgement;
  const mark = puzzle.turn === "X" ? "O" : "X";
  if (!verdict) return t("puzzle.wrong.over", { cell });
  if (verdict.value === "draw") return t("puzzle.wrong.draw", { cell });
  if (verdict.value !== "win") return t("puzzle.wrong", { cell });
  return verdict.plies === null
    ? t("puzzle.wrong.win", { cell, mark })
    : t("puzzle.wrong.win.plies", { cell, mark, n: verdict.plies });
}
