import { button, drawChildren, h } from "./dom.js";
import { t } from "./i18n.js";
import { can, choicesOf } from "./view.js";

/** The buttons below the board, one for each command that a player can give now. */

/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./room_state.js").SendCommand} SendCommand */
/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").Mark} Mark */
/**
 * @typedef {{key: string, label: string, kind: string, sure?: [string, string], command: Command}} CommandChoice
 *   `kind` is the button's class. `sure` is a question to ask first, and the label of the button that confirms it.
 */

/** @param {RoomState} state @returns {CommandChoice[]} */
function commandChoices({ view, you, passAndPlay, invite }) {
  const game = view.game?.number;
  const isEngine = (/** @type {Mark} */ mark) => view.seats[mark]?.kind === "engine";
  const canOffer = (/** @type {string} */ what) => can(you, "offer:" + what) && !view.offers.some((offer) => offer.what === what);
  /** @type {CommandChoice[]} */
  const list = [];
  for (const mark of /** @type {Mark[]} */ (choicesOf(you, "sit"))) {
    if (you.mark === mark) list.push({ key: "return", label: t("command.sit.return"), kind: "primary", command: { type: "sit", mark } });
    else if (isEngine(mark) && (view.join === "open" || invite !== null || you.owner)) {
      list.push({ key: "sit" + mark, label: t("command.sit.engine", { mark }), kind: "", command: { type: "sit", mark, ...(invite ? { invite } : {}) } });
    }
  }
  if (canOffer("rematch")) {
    list.push({ key: "rematch", label: t("command.rematch"), kind: "primary", command: { type: "offer", what: "rematch", game } });
  }
  if (canOffer("takeback")) {
    list.push({ key: "takeback", label: t(passAndPlay ? "command.takeback.now" : "command.takeback"), kind: "", command: { type: "offer", what: "takeback", game } });
  }
  if (canOffer("draw")) {
    list.push({ key: "draw", label: t(passAndPlay ? "command.draw.agree" : "command.draw"), kind: "", command: { type: "offer", what: "draw", game } });
  }
  if (can(you, "resign")) {
    list.push({ key: "resign", label: t("command.resign"), kind: "", sure: [t("command.resign.sure"), t("command.resign.yes")], command: { type: "resign", game } });
  }
  if (can(you, "stand")) list.push({ key: "stand", label: t("command.stand"), kind: "", command: { type: "stand" } });
  return list;
}

/**
 * Create a button that sends the command in its `data-command`. If the choice has a question, it asks that first.
 * @param {CommandChoice} choice @param {SendCommand} sendCommand
 */
function createCommandButton(choice, sendCommand) {
  const element = h("span", { class: "command" });
  const firstButton = button(choice.label, () => (choice.sure ? ask(choice.sure) : send()), choice.kind);
  element.append(firstButton);
  const send = () => void sendCommand(JSON.parse(element.dataset["command"] ?? "{}"));
  /** @param {[string, string]} sure */
  function ask([question, yes]) {
    const confirm = button(yes, () => {
      restore();
      send();
    }, "danger");
    element.replaceChildren(h("span", { text: question }), confirm, button(t("cancel"), restore));
    confirm.focus();
  }
  function restore() {
    element.replaceChildren(firstButton);
    firstButton.focus();
  }
  return element;
}

/**
 * Draw one button for each choice of a list.
 * @param {HTMLElement} element @param {CommandChoice[]} list @param {SendCommand} sendCommand
 */
export function drawCommandButtons(element, list, sendCommand) {
  drawChildren(element, list, ({ key }) => key, (choice) => createCommandButton(choice, sendCommand), (node, choice) => {
    node.dataset["command"] = JSON.stringify(choice.command);
  });
}

/** @param {SendCommand} sendCommand */
export function createCommandButtons(sendCommand) {
  const element = h("div", { class: "commands" });
  return {
    element,
    /** @param {RoomState} state */
    draw(state) {
      drawCommandButtons(element, commandChoices(state), sendCommand);
    },
  };
}
