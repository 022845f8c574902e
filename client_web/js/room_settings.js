import { drawCommandButtons } from "./command_buttons.js";
import { button, h, labelledSelect, setOptions, show } from "./dom.js";
import { t } from "./i18n.js";
import { toast } from "./notices.js";
import { clockOptions } from "./select_options.js";
import { features } from "./variants.js";
import { can, choicesOf, settingOf } from "./view.js";

/** What the owner of a room can change: its settings between games, the muted spectators, and its end. */

/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./command_buttons.js").CommandChoice} CommandChoice */

/** @param {import("./room_state.js").SendCommand} sendCommand */
export function createRoomSettings(sendCommand) {
  let hasUnsavedInput = false;
  /** @type {RoomState|null} */
  let state = null;
  const variant = labelledSelect(t("settings.variant"), []);
  const clock = labelledSelect(t("settings.clock"), []);
  const visibility = labelledSelect(t("settings.visibility"), [
    { value: "public", text: t("settings.visibility.public") }, { value: "unlisted", text: t("settings.visibility.unlisted") },
  ]);
  const chat = labelledSelect(t("settings.chat"), [
    { value: "always", text: t("settings.chat.always") },
    { value: "between_games", text: t("settings.chat.between_games") },
    { value: "off", text: t("settings.chat.off") },
  ]);
  const form = h("form", { class: "settings", on: { submit: save, change: () => (hasUnsavedInput = true) } },
    variant.element, clock.element, visibility.element, chat.element,
    h("button", { type: "submit", class: "primary", text: t("settings.save") }));
  const laterNote = h("p", { class: "secondary", text: t("settings.later") });
  const muteButtons = h("div", { class: "buttons" },
    button(t("settings.mute"), () => void sendCommand({ type: "mute", player: "spectators", muted: true })),
    button(t("settings.unmute"), () => void sendCommand({ type: "mute", player: "spectators", muted: false })));
  const commandButtons = h("div", { class: "buttons" });
  const element = h("details", { class: "card room-settings", hidden: true },
    h("summary", {}, h("h2", { text: t("settings.title") })), form, laterNote, muteButtons, commandButtons);

  /** Send the settings that differ from the room's. @param {Event} event */
  async function save(event) {
    event.preventDefault();
    if (!state) return;
    const { view } = state;
    /** @type {Record<string, unknown>} */
    const changes = {};
    if (variant.select.value !== view.variant) changes["variant"] = variant.select.value;
    if (clock.select.value !== JSON.stringify(settingOf(view.clock))) changes["clock"] = JSON.parse(clock.select.value);
    if (visibility.select.value !== view.visibility) changes["visibility"] = visibility.select.value;
    if (chat.select.value !== view.spectator_chat) changes["spectator_chat"] = chat.select.value;
    if (!Object.keys(changes).length) return;
    const answer = await sendCommand({ type: "set", ...changes });
    if (!answer.ok) return;
    hasUnsavedInput = false;
    toast(t("settings.saved"));
  }

  /** @param {RoomState} newState */
  function draw(newState) {
    state = newState;
    const { view, you, variants, passAndPlay } = newState;
    show(element, you.owner && view.phase !== "closed");
    show(form, can(you, "set"));
    show(laterNote, !can(you, "set"));
    show(muteButtons, can(you, "mute") && !passAndPlay);
    show(visibility.element, !passAndPlay && features().lobby);
    show(chat.element, !passAndPlay);
    if (!hasUnsavedInput) {
      setOptions(variant.select, variants.map(({ key, name }) => ({ value: key, text: name })), view.variant);
      const setting = settingOf(view.clock);
      setOptions(clock.select, clockOptions(setting), JSON.stringify(setting));
      visibility.select.value = view.visibility;
      chat.select.value = view.spectator_chat;
    }
    /** @type {CommandChoice[]} */
    const list = choicesOf(you, "free").map((mark) => ({ key: "free" + mark, label: t("settings.free", { mark }), kind: "", command: { type: "free", mark } }));
    if (can(you, "close")) {
      list.push({ key: "close", label: t("settings.close"), kind: "", sure: [t("settings.close.sure"), t("settings.close.yes")], command: { type: "close" } });
    }
    drawCommandButtons(commandButtons, list, sendCommand);
  }

  return { element, draw };
}
