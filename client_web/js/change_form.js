import { h, labelledSelect, setOptions, show } from "./dom.js";
import { t } from "./i18n.js";
import { createVariantPicker } from "./variant_picker.js";
import { clockOptions, defaultLevel, levelAfterChange, levelOptions } from "./select_options.js";
import { choicesOf, MARKS, settingOf } from "./view.js";

/** The form with which the owner changes the game, the level of the engine and the clock between games. */

/** @typedef {import("./room_state.js").OpenState} OpenState */

/**
 * @param {{sendCommand: import("./room_state.js").SendCommand, dispatch: import("./room_state.js").Dispatch}} options
 */
export function createChangeForm({ sendCommand, dispatch }) {
  /** @type {OpenState|null} */
  let state = null;
  let shown = "";
  const picker = createVariantPicker("change-variant", () => drawLevels());
  const level = labelledSelect(t("start.level"), []);
  const clock = labelledSelect(t("start.clock"), []);
  const submitButton = h("button", { type: "submit", class: "primary", text: t("change.go") });
  const element = h(
    "form",
    { class: "change", on: { submit } },
    picker.element,
    level.element,
    clock.element,
    submitButton,
  );

  const engineMark = () => MARKS.find((mark) => state?.view.seats[mark]?.kind === "engine") ?? null;
  const engineLevel = () => {
    const mark = engineMark();
    const seat = mark ? state?.view.seats[mark] : null;
    return seat?.kind === "engine" ? seat.level : null;
  };
  const chosenVariant = () => state?.variants.find(({ key }) => key === picker.value());

  function drawLevels() {
    const before = state?.variants.find(({ key }) => key === state?.view.variant);
    const options = levelOptions(chosenVariant());
    setOptions(
      level.select,
      options,
      levelAfterChange(level.select.value || engineLevel() || defaultLevel(before), before, chosenVariant()),
    );
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (!state) return;
    const { view, you } = state;
    submitButton.disabled = true;
    /** @type {Record<string, unknown>} */
    const changes = {};
    if (picker.value() !== view.variant) changes["variant"] = picker.value();
    if (clock.select.value !== JSON.stringify(settingOf(view.clock))) changes["clock"] = JSON.parse(clock.select.value);
    const mark = engineMark();
    const chosen = level.select.value; // the form is drawn again as soon as the seat is free
    const isNewLevel = mark !== null && chosen !== engineLevel() && choicesOf(you, "free").includes(mark);
    let isDone = true;
    if (Object.keys(changes).length) isDone = (await sendCommand({ type: "set", ...changes })).ok;
    if (isDone && isNewLevel) {
      // A new engine in the seat starts the next game by itself.
      isDone =
        (await sendCommand({ type: "free", mark })).ok &&
        (await sendCommand({ type: "seat_engine", mark, level: chosen })).ok;
    } else if (isDone && view.game && you.can.includes("offer:rematch")) {
      isDone = (await sendCommand({ type: "offer", what: "rematch", game: view.game.number })).ok;
    }
    submitButton.disabled = false;
    if (isDone) dispatch({ type: "sheet", sheet: null });
  }

  return {
    element,
    /** @param {OpenState} newState */
    draw(newState) {
      state = newState;
      const setting = settingOf(newState.view.clock);
      const settings = JSON.stringify([newState.view.variant, engineLevel(), setting, newState.variants.length]);
      if (shown === settings) return; // keep what the owner has chosen
      shown = settings;
      picker.draw(newState.variants, newState.view.variant);
      level.select.value = "";
      drawLevels();
      show(level.element, engineMark() !== null);
      setOptions(clock.select, clockOptions(setting), JSON.stringify(setting));
    },
  };
}
