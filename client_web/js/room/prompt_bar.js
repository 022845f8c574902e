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

  /** @param {Choice} choice */
  function run({ command, message, engineSeat, cell }) {
    dialog.close();
    if (cell) play(cell);
    if (message) dispatch(message);
    if (command) void sendCommand(command);
    if (engineSeat) void sendCommand({ type: "seat_engine", mark: engineSeat, level: levelOf(level.select) });
  }

  /** @param {HTMLElement} parent @param {readonly Choice[]} choices @param {"choices"|"more"} list */
  function drawChoices(parent, choices, list) {
    drawChildren(
      parent,
      choices,
      ({ key, label }) => `${shown?.key} ${key} ${label}`,
      ({ key, label, isPrimary }) =>
        button(
          label,
          () => {
            // Take the newest choice with this key, not the drawn one.
            const choice = shown?.[list].find((entry) => entry.key === key);
            if (choice) run(choice);
          },
          isPrimary ? "primary" : "",
        ),
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
    const choose = { key: "choose", label: t("prompt.choose"), isPrimary: true };
    if (prompt.more.length) {
      drawChildren(
        buttons,
        [choose],
        ({ key }) => `${prompt.key} ${key}`,
        ({ label }) => button(label, () => dialog.showModal(), "primary"),
      );
    } else drawChoices(buttons, prompt.choices, "choices");
    drawChoices(dialogButtons, prompt.more, "more");
    show(
      level.element,
      prompt.more.some(({ engineSeat }) => engineSeat),
    );
    const variant = nextVariantOf(state);
    setOptions(level.select, levelOptions(variant), level.select.value || defaultLevel(variant));
  }

  return { element, draw, tick: draw };
}
