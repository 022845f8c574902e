import { button, drawChildren, h, icon, listen, setAttr, show } from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { can, opponentOf } from "../net/view.js";
import { addTexts, t } from "../texts/i18n.js";
import { seatName } from "../texts/names.js";
import { isOver } from "./state.js";

/**
 * What people say in a room, where the players look: a bubble at the strip of its author, reactions at the opponent's strip,
 * and phrases for the end of a game. A room with people imports it.
 */

/** @import { ReactCommand, Speaker } from "../net/messages.js" */
/** @import { OpenState, RoomContext } from "./state.js" */

/** @typedef {{from: Speaker, text?: string, emoji?: string}} Speech  a chat line or a reaction */

const BUBBLE_MS = 4_000;
const EDGE_PX = 8; // between the reactions and the edge of the window
const SMILE = "M4 12a8 8 0 1 0 16 0a8 8 0 1 0-16 0M9 10v.01M15 10v.01M8.500 14q3.500 3.500 7 0";
/** @type {import("../texts/i18n.js").Key[]} */
const PHRASES = ["phrase.good", "phrase.lucky", "phrase.again", "phrase.oops"];

/**
 * @param {RoomContext} context
 * @param {{upper: HTMLElement, lower: HTMLElement, chat: HTMLElement}} homes the players' strips, and the button of the chat
 */
export async function createSpeech({ sendCommand, openChat }, { upper, lower, chat }) {
  await Promise.all([addTexts("server"), loadStyleSheet("speech.css")]);
  const menu = createReactionMenu(upper, (emoji) => void sendCommand({ type: "react", emoji }));
  const element = h(
    "div",
    { class: "phrases", role: "group", "aria-label": t("phrases"), hidden: true },
    ...PHRASES.map((key) => button(t(key), () => void sendCommand({ type: "chat", text: t(key) }))),
  );
  upper.append(menu.element);

  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { you, view } = state;
      const opponent = you.mark && view.seats[opponentOf(you.mark)];
      const isPerson = opponent !== null && opponent.kind === "human";
      show(element, isPerson && isOver(state) && can(you, "chat"));
      menu.draw(isPerson && can(you, "react") ? seatName(opponent) : null, state.reactions);
    },
    /**
     * Show a bubble for a few seconds. Screen readers hear of it elsewhere. Spectators have no strip: their reactions cover
     * the icon of the chat, and their lines only raise its count.
     * @param {Speech} speech
     */
    say({ from, text, emoji }) {
      const home = from.mark ? [upper, lower].find(({ dataset }) => dataset["mark"] === from.mark) : emoji && chat;
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

/**
 * Create the button that covers a strip, and the menu of reactions that it opens: an arc below the strip.
 * @param {HTMLElement} strip
 * @param {(emoji: ReactCommand["emoji"]) => void} react
 */
function createReactionMenu(strip, react) {
  const menu = h("div", { class: "arc", role: "menu", "aria-label": t("chat.reactions") });
  const dialog = h("dialog", { class: "reaction-menu" }, menu);
  const opener = h("button", { type: "button", class: "react", "aria-haspopup": "menu" }, icon(SMILE));
  const element = h("div", { hidden: true }, opener, dialog);
  /** @type {() => void} */
  let removeListener = () => {};
  opener.addEventListener("click", open);
  menu.addEventListener("keydown", followKey);
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    removeListener();
    setAttr(opener, "aria-expanded", "false");
  });

  function open() {
    setAttr(opener, "aria-expanded", "true");
    dialog.showModal();
    const { left, width, bottom } = strip.getBoundingClientRect();
    const most = window.innerWidth - dialog.offsetWidth - EDGE_PX;
    const start = Math.max(EDGE_PX, Math.min(left + (width - dialog.offsetWidth) / 2, most));
    dialog.style.left = `${start}px`;
    dialog.style.top = `${Math.min(bottom, window.innerHeight - dialog.offsetHeight)}px`;
    /** @type {HTMLElement|null} */ (menu.firstElementChild)?.focus();
    removeListener = listen(window, "resize", () => dialog.close());
  }

  /** @param {KeyboardEvent} event */
  function followKey(event) {
    const items = /** @type {HTMLElement[]} */ ([...menu.children]);
    const index = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const forward = getComputedStyle(menu).direction === "rtl" ? -1 : 1;
    const steps = { ArrowRight: forward, ArrowDown: 1, ArrowLeft: -forward, ArrowUp: -1 };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    event.stopPropagation(); // the arrow keys of the page step through the game
    if (event.key === "Tab") dialog.close();
    else if (event.key === "Home" || event.key === "End") items.at(event.key === "Home" ? 0 : -1)?.focus();
    else if (step) items[(index + step + items.length) % items.length]?.focus();
    else return;
    event.preventDefault();
  }

  return {
    element,
    /** @param {string|null} name of the opponent, or null while you cannot react @param {readonly string[]} reactions */
    draw(name, reactions) {
      show(element, name !== null);
      if (name === null) dialog.close();
      setAttr(opener, "aria-label", t("chat.react.to", { name: name ?? "" }));
      drawChildren(
        menu,
        reactions,
        (emoji) => emoji,
        (emoji) => {
          const item = button(emoji, () => {
            dialog.close();
            react(/** @type {ReactCommand["emoji"]} */ (emoji));
          });
          for (const [attribute, value] of Object.entries({ role: "menuitem", tabindex: "-1" }))
            item.setAttribute(attribute, value);
          item.setAttribute("aria-label", t("chat.react", { emoji }));
          return item;
        },
      );
    },
  };
}
