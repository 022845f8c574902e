import { createBoardHolder } from "../board/board.js";
import { endSentences } from "../board/mistakes.js";
import { parseGame, replayAt } from "../board/replay.js";
import { button, h, hasModifier, listen, pageLink, setParts, show } from "../browser/dom.js";
import { isSlanted, loadChoice, saveChoice } from "../browser/preferences.js";
import { allVariants, request } from "../net/api.js";
import { homeUrl, replayText } from "../net/urls.js";
import { fetchLegal, fetchPositions, judgeRetry, SETTLED_MS, trialAt, trialPosition } from "../room/analysis.js";
import { playOn, takeReview } from "../room/branch.js";
import { markHeadline, outcomeReason, partsOf } from "../room/text.js";
import { createPageNote } from "../room/view.js";
import { plyForKey } from "../browser/keys.js";
import { t } from "../texts/i18n.js";
import { createReview } from "./review.js";

/**
 * The page of a game by its link. It needs no room: the server turns the moves into a record, and says when they are
 * no game.
 */

/** @import { GameRecord, Mark, Position } from "../net/messages.js" */
/** @import { LegalMoves, Retry } from "../room/state.js" */

/** @param {{root: HTMLElement}} options @returns {() => void} closes the page */
export function replayPage({ root }) {
  let disposed = false;
  /** @type {Position[]|null} */ let analysis = null;
  let analysisFailed = false;
  /** @type {Retry} */ let retry = null;
  /** @type {LegalMoves|null} */ let legal = null;
  let wantedPly = -1;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  let shown = takeReview()?.step ?? null;
  let last = 0;
  /** @type {(() => void)|null} */ let draw = null;
  /** @type {(cell: string) => void} */ let tryCell = () => {};
  const board = createBoardHolder({ onPlay: (cell) => tryCell(cell) });
  void load();

  async function load() {
    const link = parseGame(replayText(location));
    try {
      if (!link) throw new Error(t("replay.wrong"));
      const query = `variant=${encodeURIComponent(link.variant)}&moves=${encodeURIComponent(link.moves.join(","))}`;
      const record = await request("GET", "record?" + query);
      if (disposed) return;
      const over = link.over && !record.outcome ? { ...link.over, cells: [] } : null;
      showGame({ ...record, outcome: record.outcome ?? over }, record.outcome !== null);
    } catch (error) {
      if (!disposed) showWrongLink(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} message */
  function showWrongLink(message) {
    document.title = `${t("replay.wrong")} · ${t("app.name")}`;
    root.replaceChildren(createPageNote(t("replay.wrong"), t("replay.wrong.why", { message })));
  }

  /**
   * Show a game. Only moves that end a game get values: any others may be of a game that is on.
   * @param {GameRecord} record @param {boolean} isProved the moves end the game
   */
  function showGame(record, isProved) {
    const variant = allVariants().find(({ key }) => key === record.variant);
    if (!variant) {
      showWrongLink(record.variant);
      return;
    }
    const { outcome } = record;
    const moves = record.moves.map(({ cell }) => cell);
    last = moves.length;
    const review = createReview({
      closable: false,
      dispatch(message) {
        if (message.type === "step") shown = message.ply;
        if (message.type === "retry") retry = message.retry;
        draw?.();
      },
    });
    const reviewText = h("p", { class: "review-sentence" });
    let beatPly = 0;
    const beatButton = button(
      t("branch.beat"),
      () => void playOn({ record, ply: beatPly, step: shown ?? last }),
      "primary",
    );
    show(beatButton, false);
    const title = outcome ? markHeadline(outcome) : t("replay.on");
    const element = h(
      "div",
      { class: "room replay" },
      h("h1", { class: "visually-hidden", tabindex: -1, text: t("replay.title", { variant: variant.name }) }),
      h("div", { class: "board-area" }, board.element),
      h(
        "div",
        { class: "zone" },
        h(
          "section",
          { class: "outcome-card" },
          h("h2", { class: "outcome", "data-winner": outcome?.winner, text: title }),
          h("p", {
            class: "secondary",
            text: [variant.name, outcome ? outcomeReason(outcome) : ""].filter(Boolean).join(" · "),
          }),
          reviewText,
        ),
        review.element,
      ),
      h(
        "div",
        { class: "commands" },
        beatButton,
        pageLink(homeUrl(), {
          class: "button rematch",
          text: t("replay.play", { variant: variant.name }),
          on: { click: choose },
        }),
        outcome && button(t("share"), () => void share(), "quiet-text"),
      ),
    );
    root.replaceChildren(element);
    document.title = `${title} · ${variant.name}`;

    /** Let the start page open with this game. */
    function choose() {
      if (variant) saveChoice({ ...loadChoice(), variant: variant.key });
    }

    async function share() {
      const { openShareDialog } = await import("../room/share_game.js");
      if (!variant) return;
      const position = { ...replayAt(record, moves.length), variant };
      await openShareDialog(variant, { position, title, players: null, analysis });
    }

    draw = () => {
      const ply = shown ?? moves.length;
      const trial = trialAt(record, analysis, ply, retry);
      if (wantedPly !== trial.ply) wantLegal(trial.ply);
      const replayed = replayAt(record, ply);
      const cells = legal?.ply === trial.ply ? legal.cells : undefined;
      board.draw(variant, { ...replayed, ...trialPosition(trial, replayed.marks, cells) }, isSlanted());
      tryCell = (cell) => {
        if (!trial.task) void playOn({ record, ply: trial.ply, step: ply, cell });
        else if (judgeRetry(trial.task, cell)) retry = "found";
        draw?.();
      };
      review.drawGame({ moves, outcome, analysis, analysisFailed, step: shown, retry, legal });
      // Of an end that the link names, the line above says all that is known.
      if (outcome && isProved && (analysis || analysisFailed)) {
        const people = { you: null, nameOf: (/** @type {Mark} */ mark) => mark };
        const sentences = endSentences(analysis, moves, outcome, people);
        setParts(reviewText, partsOf(sentences));
        // You take over from the player who made the mistake, just before it.
        beatPly = Number(sentences.at(-1)?.values["ply"] ?? 0) - 1;
        show(beatButton, beatPly >= 0);
      }
    };
    /** Fetch the legal moves at a ply, once the player has stopped there. @param {number} ply */
    function wantLegal(ply) {
      wantedPly = ply;
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const cells = await fetchLegal(record, ply).catch(() => null);
        if (disposed || wantedPly !== ply) return;
        if (cells) legal = { ply, cells };
        draw?.();
      }, SETTLED_MS);
    }

    draw();
    void loadValues(isProved ? record : null);
  }

  /** Fetch the values of a game, or say that there are none. @param {GameRecord|null} record */
  async function loadValues(record) {
    analysis = record && (await fetchPositions(record).catch(() => null));
    analysisFailed = analysis === null;
    if (!disposed) draw?.();
  }

  const removeListener = listen(document, "keydown", (event) => {
    const ply = hasModifier(event) || event.defaultPrevented ? undefined : plyForKey(event, shown ?? last, last);
    if (ply === undefined || !draw) return;
    event.preventDefault();
    shown = ply;
    draw();
  });

  return () => {
    disposed = true;
    clearTimeout(timer);
    removeListener();
    board.dispose();
  };
}
