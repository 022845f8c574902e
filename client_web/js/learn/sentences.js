import { cellMark } from "../board/cell_text.js";
import { t } from "../texts/i18n.js";
import { LIMIT } from "./tree.js";

/** What the chapters say of values, bounds and steps. */

/** @import { Bounds, NodeState, Step, Tree } from "./tree.js" */

/** Return a value with its sign. @param {number} value */
export const valueText = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/** @param {number} bound */
const boundText = (bound) => (Math.abs(bound) >= LIMIT ? (bound > 0 ? "∞" : "−∞") : valueText(bound));

/** @param {Bounds} bounds */
export const boundsText = ([alpha, beta]) => `${boundText(alpha)} … ${boundText(beta)}`;

/**
 * Return the sentence about a step.
 * @param {Tree} tree @param {readonly NodeState[]} states after the step @param {Step} step
 */
export function stepSentence({ nodes }, states, { kind, node: index }) {
  const [node, state] = [nodes[index], states[index]];
  if (!node || !state) return "";
  const cell = cellMark(node.moves.at(-1) ?? "");
  if (kind === "enter") {
    const [alpha, beta] = state.bounds ?? [-LIMIT, LIMIT];
    if (alpha <= -LIMIT && beta >= LIMIT) return t("learn.step.enter", { cell });
    if (beta >= LIMIT) return t("learn.step.enter.alpha", { cell, alpha: valueText(alpha) });
    if (alpha <= -LIMIT) return t("learn.step.enter.beta", { cell, beta: valueText(beta) });
    return t("learn.step.enter.both", { cell, alpha: valueText(alpha), beta: valueText(beta) });
  }
  if (kind === "cut") {
    const [alpha, beta] = state.bounds ?? [0, 0];
    return node.turn === "O"
      ? t("learn.step.cut.O", { value: valueText(beta), held: valueText(alpha) })
      : t("learn.step.cut.X", { value: valueText(alpha), held: valueText(beta) });
  }
  const value = valueText(state.value ?? 0);
  const parent = nodes[node.parent];
  const best = states[node.parent]?.value ?? 0;
  const end = node.outcome
    ? node.outcome.winner
      ? t("learn.step.line", { cell, mark: node.outcome.winner, value })
      : t("learn.step.full", { cell, value })
    : t("learn.step.value", { cell, value });
  return [end, parent?.turn ? t(`learn.step.keep.${parent.turn}`, { value: valueText(best) }) : ""].join(" ");
}
