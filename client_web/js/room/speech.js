import { button, drawChildren, h, show } from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { can, opponentOf } from "../net/view.js";
import { addTexts, t } from "../texts/i18n.js";
import { hasPeople, isOver } from "./state.js";

/**
 * What people say in a room, where the players look: a bubble at the strip of its author, reactions in one tap beside the turn,
 * and phrases for the end of a game. A room with people imports it.
 */

/** @import { ReactCommand, Speaker } from "../net/messages.js" */
/** @import { OpenState, RoomContext } from "./state.js" */

/** @typedef {{from: Speaker, text?: string, emoji?: string}} Speech  a chat line or a reaction */

const BUBBLE_MS = 4_000;
/** @type {import("../texts/i18n.js").Key[]} */
const PHRASES = ["phrase.good", "phrase.lucky", "phrase.again", "phrase.oops"];

/**
 * @param {RoomContext} context
 * @param {{upper: HTMLElement, lower: HTMLElement, chat: HTMLElement}} homes the players' strips, and the button of the chat
 */
export async function createSpeech({ sendCommand, dispatch }, { upper, lower, chat }) {
  await Promise.all([addTexts("server"), loadStyleSheet("speech.css")]);
  const reactions = h("div", { class: "reactions", role: "group", "aria-label": t("chat.reactions"), hidden: true });
  const phrases = h(
    "div",
    { class: "phrases", role: "group", "aria-label": t("phrases"), hidden: true },
    ...PHRASES.map((key) => button(t(key), () => sendCommand({ type: "chat", text: t(key) }))),
  );
  const element = h("div", { class: "words" }, phrases, reactions);
  const openChat = () => dispatch({ type: "sheet", sheet: "chat" });

  /** @param {string} emoji */
  const createReaction = (emoji) => {
    const react = () => void sendCommand({ type: "react", emoji: /** @type {ReactCommand["emoji"]} */ (emoji) });
    const node = button(emoji, react);
    node.setAttribute("aria-label", t("chat.react", { emoji }));
    node.setAttribute("data-repeats", "");
    return node;
  };

  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { you, view } = state;
      const opponent = you.mark && view.seats[opponentOf(you.mark)];
      const isPerson = opponent !== null && opponent.kind === "human";
      const isLive = state.reviewed === null && view.phase !== "closed";
      show(phrases, isLive && isPerson && isOver(state) && can(you, "chat"));
      show(reactions, isLive && !isOver(state) && hasPeople(state) && can(you, "react"));
      drawChildren(reactions, state.reactions, (emoji) => emoji, createReaction);
    },
    /**
     * Show a bubble for a few seconds. Screen readers hear of it elsewhere. Spectators have no strip: their reactions cover
     * the button of the chat, or the head of the chat beside the board, and their lines only raise its count.
     * @param {Speech} speech
     */
    say({ from, text, emoji }) {
      const home = from.mark
        ? [upper, lower].find(({ dataset }) => dataset["mark"] === from.mark)
        : emoji && (chat.hidden ? document.querySelector(".sheet .chat") : chat);
      if (!home) return;
      home.querySelector(".bubble")?.remove();
      const bubble = h(
        "span",
        { class: "bubble", "data-emoji": Boolean(emoji), "aria-hidden": "true", on: { click: openChat } },
        h("span", { class: "bubble-text", text: emoji ?? text, dir: "auto" }),
      );
      home.append(bubble);
      setTimeout(() => bubble.remove(), BUBBLE_MS);
    },
  };
}
