import { createVariantPicker } from "../board/variant_picker.js";
import { button, createForm, drawChildren, h, labelledSelect, setOptions, setText, show } from "../browser/dom.js";
import { createConfirmed } from "../start/confirmed.js";
import { features } from "../net/api.js";
import { createSwapChoice } from "../board/swap_choice.js";
import { can, marksFor } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { clockOptions, defaultLevel, levelAfterChange, levelOf, levelOptions, seriesOptions } from "../texts/names.js";
import { engineIn } from "./next_game.js";

/** The forms of a room's owner: who sees the room, who may chat and the room's end; then game, level and clock. */

/** @import { OpenState, Part, RoomContext } from "./state.js" */

/** @param {RoomContext} context @returns {Part} */
export function createRoomSettings({ sendCommand }) {
  /** @param {Record<string, string>} change */
  const set = (change) => void sendCommand({ type: "set", ...change });
  const visibility = labelledSelect(
    t("settings.visibility"),
    [
      { value: "public", text: t("settings.visibility.public") },
      { value: "unlisted", text: t("settings.visibility.unlisted") },
    ],
    "",
    (value) => set({ visibility: value }),
  );
  const chat = labelledSelect(
    t("settings.chat"),
    [
      { value: "always", text: t("settings.chat.always") },
      { value: "between_games", text: t("settings.chat.between_games") },
      { value: "off", text: t("settings.chat.off") },
    ],
    "",
    (value) => set({ spectator_chat: value }),
  );
  const selects = h("div", { class: "settings" }, visibility.element, chat.element);
  const laterNote = h("p", { class: "secondary", text: t("settings.later") });
  let areMuted = false; // as far as this page knows: the view does not say
  const muteButton = button(t("settings.mute"), () => muteSpectators());
  const freeButtons = h("div", { class: "buttons" });
  const closing = createConfirmed(
    t("settings.close"),
    t("settings.close.sure"),
    () => void sendCommand({ type: "close" }),
    t("settings.close.yes"),
  );
  const element = h("section", { class: "room-settings" }, selects, laterNote, muteButton, freeButtons, closing);

  async function muteSpectators() {
    const answer = await sendCommand({ type: "mute", player: "spectators", muted: !areMuted });
    if (answer.ok) areMuted = !areMuted;
    setText(muteButton, t(areMuted ? "settings.unmute" : "settings.mute"));
  }

  /** @param {OpenState} state */
  function draw({ view, you, passAndPlay }) {
    show(selects, can(you, "set") && !passAndPlay);
    show(laterNote, !can(you, "set"));
    show(muteButton, can(you, "mute") && !passAndPlay);
    show(visibility.element, features().lobby);
    visibility.select.value = view.visibility;
    chat.select.value = view.spectator_chat;
    drawChildren(
      freeButtons,
      marksFor(you, "free"),
      (mark) => mark,
      (mark) => button(t("settings.free", { mark }), () => sendCommand({ type: "free", mark })),
    );
    show(closing, can(you, "close"));
  }

  return { element, draw };
}

/**
 * Create the form with which the owner changes the game, the level of the engine and the clock between games. During a game
 * against the engine the change counts from the next game on.
 * @param {RoomContext} context
 * @returns {Part}
 */
export function createChangeForm({ change }) {
  /** @type {OpenState|null} */
  let state = null;
  let shown = "";
  const picker = createVariantPicker("change-variant", () => {
    drawLevels();
    swap.draw(picker.value());
  });
  const level = labelledSelect(t("start.level"), []);
  const clock = labelledSelect(t("start.clock"), []);
  const series = labelledSelect(t("series.label"), []);
  const swap = createSwapChoice();
  const submitButton = h("button", { type: "submit", class: "primary", text: t("change.go") });
  const element = createForm(
    { class: "change" },
    () => submit(),
    picker.element,
    level.element,
    clock.element,
    series.element,
    swap.element,
    submitButton,
  );

  const engine = () => engineIn(state?.view);
  const chosenVariant = () => state?.variants.find(({ key }) => key === picker.value());

  function drawLevels() {
    const before = state?.variants.find(({ key }) => key === state?.view.variant);
    const options = levelOptions(chosenVariant());
    setOptions(
      level.select,
      options,
      levelAfterChange(level.select.value || engine()?.level || defaultLevel(before), before, chosenVariant()),
    );
  }

  async function submit() {
    if (!state) return;
    const { view, you } = state;
    /** @type {import("./state.js").NewGame} */
    const plan = {};
    if (picker.value() !== view.variant) plan.variant = picker.value();
    if (clock.select.value !== JSON.stringify(view.clock?.setting ?? null)) plan.clock = JSON.parse(clock.select.value);
    if (can(you, "set")) {
      if (series.select.value !== JSON.stringify(view.series?.first_to ?? null))
        plan.first_to = JSON.parse(series.select.value);
      if (swap.isOn() !== view.swap) plan.swap = swap.isOn();
    }
    if (engine()) plan.level = levelOf(level.select);
    submitButton.disabled = true;
    await change(plan);
    submitButton.disabled = false;
  }

  return {
    element,
    /** @param {OpenState} newState */
    draw(newState) {
      state = newState;
      const setting = newState.view.clock?.setting ?? null;
      const { variant, series: played, swap: isFair } = newState.view;
      const firstTo = played?.first_to ?? null;
      const settings = JSON.stringify([variant, engine()?.level, setting, newState.variants.length, firstTo, isFair]);
      if (shown === settings) return; // keep what the owner has chosen
      shown = settings;
      picker.draw(newState.variants, variant);
      setOptions(series.select, seriesOptions(firstTo), JSON.stringify(firstTo));
      swap.draw(variant, isFair);
      show(series.element, can(newState.you, "set"));
      if (!can(newState.you, "set")) show(swap.element, false);
      level.select.value = "";
      drawLevels();
      show(level.element, engine() !== null);
      setOptions(clock.select, clockOptions(setting, engine() === null), JSON.stringify(setting));
    },
  };
}
