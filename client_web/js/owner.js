import { actionButton } from "./actions.js";
import { button, choice, fillChoice, h, keyed, show } from "./dom.js";
import { t } from "./i18n.js";
import { toast } from "./live.js";
import { clockChoices, features } from "./variants.js";
import { can, choicesOf, settingOf } from "./view.js";

/** What the owner may change: settings between games, who may speak, and the end of the room. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Hands} Hands */
/** @typedef {import("./actions.js").Action} Action */

/** @param {Hands} hands */
export function createOwner(hands) {
  let touched = false;
  /** @type {Scene|null} */
  let drawn = null;
  const variant = choice(t("set.variant"), []);
  const clock = choice(t("set.clock"), []);
  const visibility = choice(t("set.visibility"), [
    { value: "public", text: t("set.visibility.public") }, { value: "unlisted", text: t("set.visibility.unlisted") },
  ]);
  const chat = choice(t("set.chat"), [
    { value: "always", text: t("set.chat.always") },
    { value: "between_games", text: t("set.chat.between_games") },
    { value: "off", text: t("set.chat.off") },
  ]);
  const form = h("form", { class: "settings", on: { submit: apply, change: () => (touched = true) } },
    variant.element, clock.element, visibility.element, chat.element,
    h("button", { type: "submit", class: "primary", text: t("set.apply") }));
  const later = h("p", { class: "quiet", text: t("set.later") });
  const mutes = h("div", { class: "buttons" },
    button(t("set.mute.spectators"), () => void hands.send({ type: "mute", player: "spectators", muted: true })),
    button(t("set.unmute.spectators"), () => void hands.send({ type: "mute", player: "spectators", muted: false })));
  const actions = h("div", { class: "buttons" });
  const element = h("details", { class: "card owner", hidden: true },
    h("summary", {}, h("h2", { text: t("set.title") })), form, later, mutes, actions);

  /** Only what differs is sent. @param {Event} event */
  async function apply(event) {
    event.preventDefault();
    if (!drawn) return;
    const { view } = drawn;
    /** @type {Record<string, unknown>} */
    const wish = {};
    if (variant.select.value !== view.variant) wish["variant"] = variant.select.value;
    if (clock.select.value !== JSON.stringify(settingOf(view.clock))) wish["clock"] = JSON.parse(clock.select.value);
    if (visibility.select.value !== view.visibility) wish["visibility"] = visibility.select.value;
    if (chat.select.value !== view.spectator_chat) wish["spectator_chat"] = chat.select.value;
    if (!Object.keys(wish).length) return;
    const answer = await hands.send({ type: "set", ...wish });
    if (!answer.ok) return;
    touched = false;
    toast(t("set.applied"));
  }

  /** @param {Scene} scene */
  function draw(scene) {
    drawn = scene;
    const { view, you, variants, shared } = scene;
    show(element, you.owner && view.phase !== "closed");
    show(form, can(you, "set"));
    show(later, !can(you, "set"));
    show(mutes, can(you, "mute") && !shared);
    show(visibility.element, !shared && features().lobby);
    show(chat.element, !shared);
    if (!touched) {
      fillChoice(variant.select, variants.map(({ key, name }) => ({ value: key, text: name })), view.variant);
      const setting = settingOf(view.clock);
      fillChoice(clock.select, clockChoices(setting), JSON.stringify(setting));
      visibility.select.value = view.visibility;
      chat.select.value = view.spectator_chat;
    }
    /** @type {Action[]} */
    const list = choicesOf(you, "free").map((mark) => ({ key: "free" + mark, label: t("set.free", { mark }), kind: "", command: { type: "free", mark } }));
    if (can(you, "close")) {
      list.push({ key: "close", label: t("set.close"), kind: "", sure: [t("set.close.sure"), t("set.close.yes")], command: { type: "close" } });
    }
    keyed(actions, list, ({ key }) => key, (action) => actionButton(action, hands), (node, action) => {
      node.dataset["command"] = JSON.stringify(action.command);
    });
  }

  return { element, draw };
}
