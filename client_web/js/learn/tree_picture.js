import { cellText } from "../board/cell_text.js";
import { setAttr, setText, svg } from "../browser/dom.js";
import { wantsNoMotion } from "../browser/preferences.js";
import { list, t } from "../texts/i18n.js";
import { boundsText, valueText } from "./sentences.js";
import { SIZE, smallBoard } from "./small_board.js";
import { nodeForKey } from "./tree.js";

/**
 * The picture of a tree: a list for screen readers, with one tab stop and arrow keys. Each node is a button that puts its
 * position on the board.
 */

/** @import { NodeState, Tree, TreeNode } from "./tree.js" */

const COLUMN = 68;
const LEVEL = 124;
const MARGIN = 14;

/** @param {TreeNode} node */
const pointOf = ({ column, level }) => ({ x: MARGIN + column * COLUMN, y: MARGIN + level * LEVEL });

/** @param {{onChoose: (moves: string[]) => void}} options */
export function createTreePicture({ onChoose }) {
  const edges = svg("g", { class: "edges", "aria-hidden": "true" });
  const items = svg("g", { role: "list", "aria-label": t("learn.tree") });
  const moving = svg("g", { class: "moving", "aria-hidden": "true" });
  const picture = svg("svg", { class: "tree" }, edges, items, moving);
  const frame = document.createElement("div");
  frame.className = "tree-frame";
  frame.append(picture);
  /** @type {Tree|null} */ let tree = null;
  /** @type {SVGElement[]} */ let buttons = [];
  /** @type {SVGElement[]} */ let lines = [];
  let focused = 0;

  items.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    const node = tree?.nodes[focused];
    if (key === "Enter" || key === " ") {
      event.preventDefault();
      if (node) onChoose(node.moves);
      return;
    }
    const target = tree && nodeForKey(tree, focused, key);
    if (target === null) return;
    event.preventDefault();
    focusNode(target);
    buttons[target]?.focus();
  });

  /** @param {number} index */
  function focusNode(index) {
    buttons[focused]?.setAttribute("tabindex", "-1");
    focused = index;
    buttons[index]?.setAttribute("tabindex", "0");
  }

  /** @param {TreeNode} node */
  function createNode(node) {
    const { x, y } = pointOf(node);
    const button = svg(
      "g",
      { role: "button", class: "node", tabindex: node.index ? -1 : 0 },
      svg("title"),
      svg("rect", { class: "node-ground", x: -6, y: -6, width: SIZE + 12, height: SIZE + 48, rx: 9 }),
      smallBoard(node.moves, node.outcome?.cells),
      svg("text", { class: "node-value", "aria-hidden": "true", x: SIZE / 2, y: SIZE + 19 }),
      svg("text", { class: "node-bounds", "aria-hidden": "true", x: SIZE / 2, y: SIZE + 35 }),
    );
    button.addEventListener("click", () => onChoose(node.moves));
    button.addEventListener("focus", () => focusNode(node.index));
    return { button, item: svg("g", { role: "listitem", transform: `translate(${x} ${y})` }, button) };
  }

  /** @param {TreeNode} node */
  function createEdge(node) {
    const parent = tree?.nodes[node.parent];
    if (!parent) return svg("path", {});
    const [from, to] = [pointOf(parent), pointOf(node)];
    const [x1, y1, x2, y2] = [from.x + SIZE / 2, from.y + SIZE + 42, to.x + SIZE / 2, to.y - 6];
    const middle = (y1 + y2) / 2;
    return svg("path", { class: "edge", d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}` });
  }

  /** Return what a screen reader says of a node. @param {TreeNode} node @param {NodeState} state @param {boolean} hasBounds */
  function labelOf(node, { isCut, isEntered, value, bounds }, hasBounds) {
    const move = node.moves.at(-1);
    return list(
      [
        node.index
          ? t("learn.node", { n: node.level, mark: node.moves.length % 2 ? "X" : "O", cell: cellText(move ?? "") })
          : t("learn.node.top"),
        node.turn ? t(`learn.chooses.${node.turn}`) : t("learn.node.end"),
        isCut ? t("learn.node.cut") : value !== null ? t("learn.node.value", { value: valueText(value) }) : "",
        hasBounds && !isCut && bounds ? t("learn.node.bounds", { bounds: boundsText(bounds) }) : "",
        !isCut && !isEntered ? t("learn.node.later") : "",
      ].filter(Boolean),
    );
  }

  /** Let a value climb to the node above. @param {TreeNode} node @param {number} value */
  function climb(node, value) {
    const parent = tree?.nodes[node.parent];
    if (!parent) return;
    const [from, to] = [pointOf(node), pointOf(parent)];
    const text = svg("text", { class: "climbing", x: to.x + SIZE / 2, y: to.y + SIZE + 19, text: valueText(value) });
    text.style.setProperty("--from-x", `${from.x - to.x}px`);
    text.style.setProperty("--from-y", `${from.y - to.y}px`);
    text.addEventListener("animationend", () => text.remove());
    moving.replaceChildren(text);
  }

  /** Keep a node in sight, without moving the page. @param {TreeNode} node */
  function follow(node) {
    const { x, y } = pointOf(node);
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = frame;
    const isBeside = x < scrollLeft + MARGIN || x + SIZE + MARGIN > scrollLeft + clientWidth;
    const isBeyond = y < scrollTop || y + LEVEL > scrollTop + clientHeight;
    if (!isBeside && !isBeyond) return;
    const behavior = wantsNoMotion() ? "auto" : "smooth";
    frame.scrollTo({
      left: isBeside ? x + SIZE / 2 - clientWidth / 2 : scrollLeft,
      top: isBeyond ? y + LEVEL / 2 - clientHeight / 2 : scrollTop,
      behavior,
    });
  }

  return {
    element: frame,
    /** Show another tree, before its first step. @param {Tree} newTree */
    show(newTree) {
      tree = newTree;
      focused = 0;
      const width = 2 * MARGIN + (tree.columns - 1) * COLUMN + SIZE;
      const height = 2 * MARGIN + (tree.levels - 1) * LEVEL + SIZE + 42;
      setAttr(picture, "width", String(width));
      setAttr(picture, "height", String(height));
      setAttr(picture, "viewBox", `0 0 ${width} ${height}`);
      const parts = tree.nodes.map(createNode);
      buttons = parts.map(({ button }) => button);
      lines = tree.nodes.map(createEdge);
      edges.replaceChildren(...lines);
      items.replaceChildren(...parts.map(({ item }) => item));
      moving.replaceChildren();
      const top = tree.nodes[0];
      if (top) frame.scrollTo({ left: pointOf(top).x + SIZE / 2 - frame.clientWidth / 2, top: 0 });
    },
    /**
     * @param {readonly NodeState[]} states
     * @param {{current: number|null, climbs: boolean, isDone: boolean, hasBounds: boolean}} options
     *   `current` is the node of the newest step, and `hasBounds` shows alpha and beta
     */
    draw(states, { current, climbs, isDone, hasBounds }) {
      for (const node of tree?.nodes ?? []) {
        const [state, button, line] = [states[node.index], buttons[node.index], lines[node.index]];
        if (!state || !button || !line) continue;
        const { isCut, isEntered, value, bounds } = state;
        const isBest = states[node.parent]?.best === node.index;
        setAttr(button, "data-state", isCut ? "cut" : isEntered ? "entered" : "later");
        setAttr(button, "data-current", node.index === current ? "" : null);
        setAttr(button, "data-turn", node.turn);
        if (button.firstChild) setText(button.firstChild, labelOf(node, state, hasBounds));
        setAttr(line, "data-state", isCut ? "cut" : isBest ? "best" : isEntered ? "entered" : "later");
        const sign = node.turn === "X" ? "▲" : node.turn === "O" ? "▼" : "";
        const [valueNode, boundsNode] = button.querySelectorAll("text");
        if (valueNode) valueNode.textContent = [sign, value === null ? "" : valueText(value)].filter(Boolean).join(" ");
        if (boundsNode) boundsNode.textContent = hasBounds && bounds && node.turn ? boundsText(bounds) : "";
      }
      const node = current === null ? undefined : tree?.nodes[current];
      const value = current === null ? null : states[current]?.value;
      if (node && climbs && value !== null && value !== undefined) climb(node, value);
      const seen = isDone ? tree?.nodes[0] : node;
      if (seen) follow(seen);
    },
  };
}
