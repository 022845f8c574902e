import { button, drawChildren, h, labelledSelect, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { toast } from "./notices.js";
import { features } from "./variants.js";
import { can, choicesOf } from "./view.js";

/** What the owner of a room can change besides the game: who sees it, who may chat, and its end. */

/** @typedef {import("./room_state.js").OpenState} OpenState */

/** @param {import("./room_state.js").SendCommand} sendCommand */
export function createRoomSettings(sendCommand) {
  let hasUnsavedInput = false;
  /** @type {OpenState|null} */
  let state = null;
  const visibility = labelledSelect(t("settings.visibility"), [
    { value: "public", text: t("settings.visibility.public") },
    { value: "unlisted", text: t("settings.visibility.unlisted") },
  ]);
  const chat = labelledSelect(t("settings.chat"), [
    { value: "always", text: t("settings.chat.always") },
    { value: "between_games", text: t("settings.chat.between_games") },
    { value: "off", text: t("settings.chat.off") },
  ]);
  const form = h(
    "form",
    { class: "settings", on: { submit: save, change: () => (hasUnsavedInput = true) } },
    visibility.element,
    chat.element,
    h("button", { type: "submit", class: "primary", text: t("settings.save") }),
  );
  const laterNote = h("p", { class: "secondary", text: t("settings.later") });
  const muteButtons = h(
    "div",
    { class: "buttons" },
    button(t("settings.mute"), () => void sendCommand({ type: "mute", player: "spectators", muted: true })),
    button(t("settings.unmute"), () => void sendCommand({ type: "mute", player: "spectators", muted: false })),
  );
  const freeButtons = h("div", { class: "buttons" });
  const sureText = h("p", { hidden: true, text: t("settings.close.sure") });
  const closeButton = button(t("settings.close"), () => askToClose(true));
  const yesButton = button(t("settings.close.yes"), () => void sendCommand({ type: "close" }), "danger");
  const cancelButton = button(t("cancel"), () => askToClose(false));
  const element = h(
    "section",
    { class: "room-settings" },
    form,
    laterNote,
    muteButtons,
    freeButtons,
    h("div", { class: "closing" }, sureText, h("div", { class: "buttons" }, closeButton, yesButton, cancelButton)),
  );
  askToClose(false);

  /** @param {boolean} asks */
  function askToClose(asks) {
    show(sureText, asks);
    show(closeButton, !asks);
    show(yesButton, asks);
    show(cancelButton, asks);
    if (asks) cancelButton.focus();
  }

  /** Send the settings that differ from the room's. @param {Event} event */
  async function save(event) {
    event.preventDefault();
    if (!state) return;
    const { view } = state;
    /** @type {Record<string, unknown>} */
    const changes = {};
    if (visibility.select.value !== view.visibility) changes["visibility"] = visibility.select.value;
    if (chat.select.value !== view.spectator_chat) changes["spectator_chat"] = chat.select.value;
    if (!Object.keys(changes).length) return;
    const answer = await sendCommand({ type: "set", ...changes });
    if (!answer.ok) return;
    hasUnsavedInput = false;
    toast(t("settings.saved"));
  }

  /** @param {OpenState} newState */
  function draw(newState) {
    state = newState;
    const { view, you, passAndPlay } = newState;
    show(form, can(you, "set") && !passAndPlay);
    show(laterNote, !can(you, "set"));
    show(muteButtons, can(you, "mute") && !passAndPlay);
    show(visibility.element, features().lobby);
    if (!hasUnsavedInput) {
      visibility.select.value = view.visibility;
      chat.select.value = view.spectator_chat;
    }
    drawChildren(
      freeButtons,
      choicesOf(you, "free"),
      (mark) => mark,
      (mark) => button("", () => void sendCommand({ type: "free", mark })),
      (node, mark) => setText(node, t("settings.free", { mark })),
    );
    if (!can(you, "close")) for (const node of [sureText, closeButton, yesButton, cancelButton]) show(node, false);
  }

  return { element, draw };
}
