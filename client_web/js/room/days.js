import { isPushOn, savePush, storedPush, toast } from "../browser/toasts.js";
import { guestPlayer } from "../net/guest.js";
import { closeNotices, pushProblem, subscribe } from "../net/push.js";
import { isDays, opponentOf } from "../net/view.js";
import { countTurns } from "../start/turns.js";
import { addTexts, t } from "../texts/i18n.js";
import { seatName } from "../texts/names.js";
import { prompt } from "./prompt.js";

/**
 * What your seat in a game of days adds to the page: your turns on the icon of the app, and notices while you do not see the
 * page. The page imports it with the first such game.
 */

/** @import { Answer, Command } from "../net/messages.js" */
/** @import { Choice } from "./prompt.js" */

/** @import { Dispatch, OpenState } from "./state.js" */

/** @param {string} key @param {string} label @param {boolean} [isPrimary] @returns {Choice} */
const choice = (key, label, isPrimary = false) => ({ key, label, isPrimary, message: { type: "answer_own", key } });

/** @param {{id: string, dispatch: Dispatch, send: (command: Command) => Promise<Answer>}} options */
export async function createDaysPart({ id, dispatch, send }) {
  await addTexts("server");
  const player = () => guestPlayer()?.id ?? "";
  let isPushOffered = storedPush()?.player === player();
  /** What the server was told about this connection; null before that. @type {boolean|null} */
  let reportedVisible = null;
  let countedTurn = "";

  /** Follow the newest state of the page, in which you hold a seat. @param {OpenState} state */
  function follow(state) {
    reportVisible(state);
    const { view, you } = state;
    if (you.mark === null || !isDays(view) || view.phase !== "playing") return;
    const turn = `${view.game?.number} ${view.game?.turn}`;
    if (turn !== countedTurn) void countTurns();
    countedTurn = turn;
    const opponent = view.seats[opponentOf(you.mark)];
    const hasMoved = view.game?.turn !== you.mark && view.game?.moves.length;
    if (hasMoved && !isPushOffered && opponent?.kind === "human") void offerPush(seatName(opponent));
  }

  /**
   * Tell the server whether you see the page, because only a player who does not gets notices. A new connection knows
   * nothing of it.
   * @param {OpenState} state
   */
  function reportVisible({ connection, version, isHidden }) {
    if (connection.state !== "open" || version < 0) reportedVisible = null;
    else if (reportedVisible !== !isHidden) {
      reportedVisible = !isHidden;
      void send({ type: "visible", visible: reportedVisible });
      if (isPushOn() && reportedVisible) void closeNotices(id);
    }
  }

  /** Offer notices once, because you have moved, or say why there are none. @param {string} name the opponent's */
  async function offerPush(name) {
    isPushOffered = true;
    try {
      const problem = await pushProblem();
      if (problem) showProblem(problem);
      else
        show("push", t("push.offer", { name }), [
          choice("subscribe", t("push.accept"), true),
          choice("push_later", t("push.later")),
        ]);
    } catch {
      isPushOffered = false; // the server cannot be reached; the next change of the page tries again
    }
  }

  /** @param {string} key @param {string} text @param {Choice[]} choices */
  const show = (key, text, choices) => dispatch({ type: "own", prompt: prompt(key, text, choices) });
  /** @param {string} problem */
  const showProblem = (problem) => show("push", problem, [choice("push_later", t("close"))]);

  /** Carry out your answer to a prompt of this part. @param {string} key */
  async function answer(key) {
    if (key === "subscribe") {
      const problem = await subscribe();
      if (problem) showProblem(problem);
      else toast(t("push.done"));
    } else savePush({ player: player(), endpoint: null });
  }

  return { follow, answer };
}
