import { opponentOf } from "../net/view.js";

/**
 * The tree below a position, from the server's answer about minimax, and the steps in which a program goes through it. Pure
 * functions without rules: which moves there are, what they are worth and what is cut stands in the answer.
 */

/** @import { Mark, MinimaxAnswer, MinimaxChild, Outcome } from "../net/messages.js" */

/**
 * @typedef {{index: number, parent: number, level: number, moves: string[], turn: Mark|null, value: number,
 *   outcome: Outcome|null, alpha: number|null, beta: number|null, pruned: boolean, returned: number|null,
 *   children: number[], column: number}} TreeNode
 *   `turn` is null where the game is over. `column` counts the ends from the left; a node stands over its children.
 */
/** @typedef {{nodes: TreeNode[], columns: number, levels: number}} Tree */
/** @typedef {{kind: "enter"|"return"|"cut", node: number}} Step  of `cut`, `node` is the one whose other moves are cut */
/** @typedef {readonly [number, number]} Bounds  alpha and beta */
/**
 * @typedef {{isEntered: boolean, isCut: boolean, value: number|null, best: number|null, bounds: Bounds|null}} NodeState
 *   `value` is the best so far, `best` the child that has it.
 */

export const LIMIT = 99;

/** @type {Bounds} */
export const OPEN_BOUNDS = [-LIMIT, LIMIT];

/**
 * @param {MinimaxAnswer} answer @param {readonly string[]} moves those that led to the position
 * @param {Bounds} bounds with which alpha-beta enters
 * @returns {Tree}
 */
export function treeOf(answer, moves, bounds = OPEN_BOUNDS) {
  /** @type {TreeNode[]} */
  const nodes = [];
  let columns = 0;
  /** @param {MinimaxAnswer|MinimaxChild} part @param {number} parent @param {string[]} path @param {Mark} turn */
  function add(part, parent, path, turn) {
    /** @type {TreeNode} */
    const node = {
      index: nodes.length,
      parent,
      level: path.length - moves.length,
      moves: path,
      turn: part.outcome ? null : turn,
      value: part.score,
      outcome: part.outcome,
      alpha: bounds[0],
      beta: bounds[1],
      pruned: false,
      returned: part.score,
      children: [],
      column: 0,
      ...("cell" in part ? { alpha: part.alpha, beta: part.beta, pruned: part.pruned, returned: part.returned } : {}),
    };
    nodes.push(node);
    node.children = part.children.map((child) => add(child, node.index, [...path, child.cell], opponentOf(turn)));
    const [first, last] = [nodes[node.children[0] ?? -1], nodes[node.children.at(-1) ?? -1]];
    node.column = first && last ? (first.column + last.column) / 2 : columns++;
    return node.index;
  }
  add(answer, -1, [...moves], moves.length % 2 ? "O" : "X");
  return { nodes, columns, levels: 1 + Math.max(...nodes.map(({ level }) => level)) };
}

/**
 * Return the steps of a program. Minimax hands each value to the node above; alpha-beta also enters with its bounds, and cuts.
 * @param {Tree} tree @param {boolean} cuts whether the program is alpha-beta
 * @returns {Step[]}
 */
export function stepsOf({ nodes }, cuts) {
  /** @type {Step[]} */
  const steps = [];
  /** @param {TreeNode|undefined} node */
  function walk(node) {
    for (const index of node?.children ?? []) {
      const child = nodes[index];
      if (cuts && child?.pruned) {
        steps.push({ kind: "cut", node: node?.index ?? 0 });
        return;
      }
      if (cuts && child?.children.length) steps.push({ kind: "enter", node: index });
      walk(child);
      steps.push({ kind: "return", node: index });
    }
  }
  walk(nodes[0]);
  return steps;
}

/**
 * Return what is seen of each node after the first steps.
 * @param {Tree} tree @param {readonly Step[]} steps those that were made
 * @param {{cuts: boolean, shown: (value: number) => number}} options `shown` returns the number to compare and print for a node's value
 * @returns {NodeState[]}
 */
export function stateAfter({ nodes }, steps, { cuts, shown }) {
  /** @type {NodeState[]} */
  const states = nodes.map(({ alpha, beta }, index) => ({
    isEntered: index === 0,
    isCut: false,
    value: null,
    best: null,
    bounds: index === 0 && cuts && alpha !== null && beta !== null ? [alpha, beta] : null,
  }));
  for (const { kind, node: index } of steps) {
    const [node, state] = [nodes[index], states[index]];
    if (!node || !state) continue;
    if (kind === "cut") {
      for (const child of node.children) if (nodes[child]?.pruned) cutBelow(nodes, states, child);
      continue;
    }
    state.isEntered = true;
    if (cuts && node.alpha !== null && node.beta !== null && !state.bounds) state.bounds = [node.alpha, node.beta];
    if (kind === "return") returnValue(nodes, states, node, { cuts, shown });
  }
  return states;
}

/**
 * @param {readonly TreeNode[]} nodes @param {NodeState[]} states @param {TreeNode} node
 * @param {{cuts: boolean, shown: (value: number) => number}} options
 */
function returnValue(nodes, states, node, { cuts, shown }) {
  const [state, parent, above] = [states[node.index], nodes[node.parent], states[node.parent]];
  const value = shown(cuts ? (node.returned ?? node.value) : node.value);
  if (!state || !parent || !above) return;
  state.value = value;
  const isHighest = parent.turn === "X";
  if (above.value === null || (isHighest ? value > above.value : value < above.value)) {
    above.value = value;
    above.best = node.index;
  }
  if (!above.bounds) return;
  const [alpha, beta] = above.bounds;
  above.bounds = isHighest ? [Math.max(alpha, value), beta] : [alpha, Math.min(beta, value)];
}

/** @param {readonly TreeNode[]} nodes @param {NodeState[]} states @param {number} index */
function cutBelow(nodes, states, index) {
  const state = states[index];
  if (state) state.isCut = true;
  for (const child of nodes[index]?.children ?? []) cutBelow(nodes, states, child);
}

/**
 * Return the node to which an arrow key leads: up to the node above, down to the first below, else along the level.
 * @param {Tree} tree @param {number} index @param {string} key
 * @returns {number|null}
 */
export function nodeForKey({ nodes }, index, key) {
  const node = nodes[index];
  if (!node) return null;
  const level = nodes.filter((other) => other.level === node.level);
  const at = level.indexOf(node);
  /** @type {Record<string, number|undefined>} */
  const targets = {
    ArrowUp: node.parent >= 0 ? node.parent : index,
    ArrowDown: node.children[0] ?? index,
    ArrowLeft: level[at - 1]?.index ?? index,
    ArrowRight: level[at + 1]?.index ?? index,
    Home: 0,
    End: nodes.length - 1,
  };
  return targets[key] ?? null;
}
