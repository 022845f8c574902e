import { button, createDialog, drawChildren, h, labelledSelect, setOptions, setText, show } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { defaultLevel, levelOf, levelOptions } from "../texts/names.js";
import { promptOf } from "./prompt.js";
import { isStill, nextVariantOf, timeOf } from "./state.js";

/** The prompt below the board: its text and at most two buttons. More choices are in a dialog. */

/** @import { Choice, Prompt } from "./prompt.js" */
/** @import { OpenState, RoomContext } from "./state.js" */

/** @param {RoomContext} context */
export function createPromptBar({ sendCommand, dispatch, play, now }) {
  /** @type {Prompt|null} */
  let shown = null;
  const text = h("p", { class: "prompt-text" });
  const buttons = h("div", { class: "prompt-buttons" });
  const level = labelledSelect(t("start.level"), []);
  const dialogText = h("p");
  const dialogButtons = h("div", { class: "buttons column" });
  const dialog = createDialog(t("close"), { class: "dialog choices" }, dialogText, dialogButtons, level.element);
  const element = h("div", { class: "prompt", hidden: true, "data-keeps-tap": true }, text, buttons, dialog);

  /** Opens the dialog, where the bar has no room for the choices. @type {Choice} */
  const opener = { key: "choose", label: t("prompt.choose"), isPrimary: true };

  /** @param {Choice} choice */
  function run(choice) {
    if (choice === opener) return dialog.showModal();
    const { command, message, engineSeat, cell } = choice;
    dialog.close();
    if (cell) play(cell);
    if (message) dispatch(message);
    if (command) void sendCommand(command);
    if (engineSeat) void sendCommand({ type: "seat_engine", mark: engineSeat, level: levelOf(level.select) });
  }

  /** @param {HTMLElement} parent @param {readonly Choice[]} choices */
  function drawChoices(parent, choices) {
    drawChildren(
      parent,
      choices,
      ({ key, label }) => `${shown?.key} ${key} ${label}`,
      (first) => {
        let newest = first;
        const element = button(first.label, () => run(newest), first.isPrimary ? "primary" : "");
        return { element, draw: (choice) => (newest = choice) };
      },
    );
  }

  /** @param {OpenState} state */
  function draw(state) {
    const prompt = promptOf(state, timeOf(state, now()));
    if (prompt?.key !== shown?.key && dialog.open) dialog.close();
    shown = prompt;
    show(element, prompt !== null);
    if (!prompt) return;
    setText(text, prompt.text);
    setText(dialogText, prompt.text);
    element.dataset["prompt"] = prompt.key;
    // Without a connection the page does not know whether the opponent is still away.
    for (const list of [buttons, dialogButtons]) list.inert = prompt.key === "absence" && isStill(state);
    drawChoices(buttons, prompt.more.length ? [opener] : prompt.choices);
    drawChoices(dialogButtons, prompt.more);
    show(
      level.element,
      prompt.more.some(({ engineSeat }) => engineSeat),
    );
    const variant = nextVariantOf(state);
    setOptions(level.select, levelOptions(variant), level.select.value || defaultLevel(variant));
  }

  return { element, draw, tick: draw };
}
