import { replayAt } from "../board/replay.js";
import { h, labelledSelect } from "../browser/dom.js";
import { allVariants, knownVariant } from "../net/api.js";
import { docUrl } from "../net/urls.js";
import { opponentOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { askPosition, askRecord } from "./questions.js";
import { createStage } from "./stage.js";

/** The chapter about larger games: how many orders of moves they have, and what is proved on the reader's board. */

/** @import { Position } from "../net/messages.js" */

/** The games in the picture, with the digits of the most orders of moves that they can have: 9!, 16! and 7^42. */
const GAMES = /** @type {const} */ ([
  { key: "3x3", digits: 6 },
  { key: "4x4", digits: 14 },
  { key: "four", digits: 36 },
]);
const VARIANTS = ["4x4", "four-in-a-row"];
const MOST_DIGITS = 36;

/** @param {{onMove: (moves: string[]) => void}} options @returns {import("./tree_chapter.js").Chapter} */
export function createGamesChapter({ onMove }) {
  let variantKey = VARIANTS[0] ?? "";
  const stage = createStage({
    onGo: open,
    onRestart: () => void open([]),
    onStep: drawStep,
  });
  const games = allVariants().filter(({ key }) => VARIANTS.includes(key));
  const choice = labelledSelect(
    t("puzzle.game"),
    games.map(({ key, name }) => ({ value: key, text: name })),
    variantKey,
    (key) => {
      variantKey = key;
      void open([]);
    },
  );
  const bars = GAMES.map(({ key, digits }) => {
    const length = h("span", { class: "cost-bar minimax" });
    length.style.setProperty("--share", String(digits / MOST_DIGITS));
    return h(
      "li",
      { class: "game-cost" },
      h("b", { text: t(`learn.games.${key}`) }),
      h("span", { class: "cost" }, length),
      h("span", { text: t(`learn.games.${key}.orders`) }),
      h("span", { class: "secondary", text: t(`learn.games.${key}.time`) }),
    );
  });
  const links = h(
    "p",
    { class: "learn-links" },
    h("a", { href: docUrl("explanation/engine"), text: t("learn.docs.engine") }),
    " · ",
    h("a", { href: docUrl("tutorial/first-bot"), text: t("learn.docs.bot") }),
  );
  stage.picture.append(
    h(
      "div",
      { class: "costs" },
      h("p", { class: "secondary", text: t("learn.games.list") }),
      h("ol", { class: "game-list" }, ...bars),
    ),
    h(
      "ul",
      { class: "engine-list" },
      ...["1", "2", "3"].map((n) => h("li", { text: t(/** @type {"learn.engine.1"} */ (`learn.engine.${n}`)) })),
    ),
    links,
  );
  const element = h(
    "div",
    { class: "chapter-stage" },
    h("div", { class: "learn-choices" }, choice.element),
    stage.element,
  );

  /** @param {string[]} newMoves */
  async function open(newMoves) {
    const variant = knownVariant(variantKey);
    const record = variant && (await stage.ask(newMoves, (moves) => askRecord(variant.key, moves)));
    if (!record) return;
    const turn = record.outcome ? null : newMoves.length % 2 ? "O" : "X";
    stage.draw(variant, { ...replayAt(record, newMoves.length), legal: record.legal ?? [], turn, mark: turn });
    stage.allowBack(newMoves.length > 0, newMoves.length > 0);
    if (newMoves.length === 0) stage.begin(GAMES.length);
    onMove(newMoves);
    if (newMoves.length === 0) return;
    stage.say(t("learn.games.looking"));
    const position = await stage.ask(newMoves, (moves) => askPosition(variant.key, moves));
    if (position) stage.say(proofSentence(position));
  }

  /** @param {Position} position */
  function proofSentence({ turn, verdict }) {
    if (!turn || !verdict) return t("learn.games.over");
    if (verdict.value === "unknown") return t("learn.games.unknown");
    if (verdict.value === "draw") return t("learn.games.draw");
    const mark = verdict.value === "win" ? turn : opponentOf(turn);
    return verdict.plies === null
      ? t("learn.games.win", { mark })
      : t("learn.games.win.in", { mark, n: verdict.plies });
  }

  /** @param {number} n */
  function drawStep(n) {
    for (const [index, bar] of bars.entries()) bar.classList.toggle("later", index >= n);
    const game = GAMES[n - 1];
    stage.say(game ? t(`learn.games.${game.key}.step`) : t("learn.games.begin"));
  }

  return {
    element,
    open: () => void open([]),
    dispose: stage.dispose,
  };
}
