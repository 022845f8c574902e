import { button, drawChildren, h, setText, show } from "./dom.js";
import * as guest from "./guest.js";
import { plural, t } from "./i18n.js";
import { announce, toast } from "./notices.js";
import { browserStorage } from "./storage.js";
import { can } from "./view.js";

/** Chat and reactions. A player mutes an author in this browser only; the owner can mute one for the whole room. */

/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./messages.js").ChatLine} ChatLine */
/** @typedef {import("./messages.js").Speaker} Author */

const MUTED_KEY = "noughts.muted";
const MAX_LINES = 200;
const MAX_MUTED = 300;
const MAX_REACTIONS = 4;
const REACTION_MS = 4000;
const BOTTOM_PX = 30; // a list scrolled this close to its end follows new lines

/** @returns {string[]} ids of players */
function loadMuted() {
  try {
    const list = JSON.parse(browserStorage.get(MUTED_KEY) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** @param {Author} author */
const authorName = ({ name, mark }) => (name || t("guest.someone")) + (mark ? ` (${mark})` : "");

/** @param {import("./room_state.js").SendCommand} sendCommand */
export function createChat(sendCommand) {
  /** @type {ChatLine[]} */
  let lines = [];
  let muted = new Set(loadMuted());
  let isHistory = true; // the first chat message holds the lines from before, which are not announced
  /** @type {RoomState|null} */
  let state = null;

  const list = h("ol", { class: "lines", tabindex: 0, "aria-label": t("chat.title") });
  const emptyNote = h("p", { class: "secondary", text: t("chat.none") });
  const unmuteButton = button("", unmuteAuthors, "secondary");
  const input = h("input", { type: "text", maxlength: 280, autocomplete: "off", "aria-label": t("chat.write"), placeholder: t("chat.write") });
  const form = h("form", { class: "chat-form", on: { submit } }, input, h("button", { type: "submit", text: t("chat.send") }));
  const reactions = h("div", { class: "reactions", role: "group" });
  const reactionOverlay = h("div", { class: "reaction-overlay", "aria-hidden": "true" });
  const authorDialog = createAuthorDialog();
  show(unmuteButton, false);
  const element = h("section", { class: "card chat" }, h("h2", { text: t("chat.title") }), list, emptyNote, unmuteButton, reactions, form, authorDialog.element);

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    input.value = "";
    const answer = await sendCommand({ type: "chat", text });
    if (!answer.ok && !input.value) input.value = text;
  }

  function drawLines() {
    const visibleLines = lines.filter((line) => !muted.has(line.from.player));
    const isAtBottom = list.scrollTop + list.clientHeight >= list.scrollHeight - BOTTOM_PX;
    const ownId = guest.player()?.id; // players cannot mute themselves, so their own name is no button
    drawChildren(list, visibleLines, ({ n }) => String(n), ({ from, text, ply }) => h("li", {},
      from.player === ownId ? h("b", { class: "author", "data-mark": from.mark, text: authorName(from) })
        : h("button", { type: "button", class: "author", "data-mark": from.mark, text: authorName(from), on: { click: () => authorDialog.open(from) } }),
      h("span", { class: "line-text", text, dir: "auto" }), h("span", { class: "ply", text: t("chat.ply", { ply }) })));
    show(emptyNote, lines.length === 0);
    show(list, visibleLines.length > 0);
    setText(unmuteButton, t("chat.unmute", { messages: plural("messages", lines.length - visibleLines.length) }));
    show(unmuteButton, visibleLines.length < lines.length);
    if (isAtBottom) list.scrollTop = list.scrollHeight;
  }

  /** @param {string} player @param {boolean} value */
  function muteForMe(player, value) {
    if (value) muted.add(player);
    else muted.delete(player);
    muted = new Set([...muted].slice(-MAX_MUTED));
    browserStorage.set(MUTED_KEY, JSON.stringify([...muted]));
    drawLines();
  }

  function createAuthorDialog() {
    const title = h("h2");
    const buttons = h("div", { class: "buttons column" });
    const dialog = h("dialog", { class: "dialog" }, title, buttons, button(t("close"), () => dialog.close()));
    /** @param {string} label @param {() => void} run */
    const closingButton = (label, run) => button(label, () => {
      dialog.close();
      run();
    });
    return {
      element: dialog,
      /** @param {Author} author */
      open(author) {
        const isMuted = muted.has(author.player);
        setText(title, authorName(author));
        buttons.replaceChildren(closingButton(t(isMuted ? "mute.me.undo" : "mute.me"), () => muteForMe(author.player, !isMuted)));
        if (state && can(state.you, "mute")) {
          buttons.append(closingButton(t("mute.all"), () => void muteForAll(author, true)), closingButton(t("mute.all.undo"), () => void muteForAll(author, false)));
        }
        dialog.showModal();
      },
    };
  }

  /** @param {Author} author @param {boolean} value */
  async function muteForAll(author, value) {
    const answer = await sendCommand({ type: "mute", player: author.player, muted: value });
    if (answer.ok) toast(t(value ? "mute.done" : "mute.undone", { name: authorName(author) }));
  }

  /** Unmute the authors of all lines in this room. */
  function unmuteAuthors() {
    for (const { from } of lines) muteForMe(from.player, false);
  }

  return {
    element,
    /** Shows reactions over the board. */
    reactionOverlay,
    /** @param {string[]} emojis */
    setReactions(emojis) {
      drawChildren(reactions, emojis, (emoji) => emoji, (emoji) => h("button", {
        type: "button", class: "reaction", text: emoji, "aria-label": t("chat.react", { emoji }),
        on: { click: () => void sendCommand({ type: "react", emoji }) },
      }));
    },
    /** @param {import("./messages.js").ChatMessage} message */
    addLines({ lines: messageLines }) {
      const numbers = new Set(lines.map(({ n }) => n));
      const newLines = messageLines.filter(({ n }) => !numbers.has(n));
      lines = [...lines, ...newLines].sort((a, b) => a.n - b.n).slice(-MAX_LINES);
      if (!isHistory) {
        for (const { from, text } of newLines) {
          if (!muted.has(from.player)) announce(t("chat.line", { name: authorName(from), text }));
        }
      }
      isHistory = false;
      drawLines();
    },
    /** @param {import("./messages.js").ReactionMessage} message */
    showReaction({ from, emoji }) {
      if (muted.has(from.player)) return;
      const chip = h("span", { class: "chip", "data-mark": from.mark }, h("b", { text: emoji }), " " + authorName(from));
      reactionOverlay.append(chip);
      while (reactionOverlay.childElementCount > MAX_REACTIONS) reactionOverlay.firstElementChild?.remove();
      setTimeout(() => chip.remove(), REACTION_MS);
      announce(t("chat.reacted", { name: authorName(from), emoji }));
    },
    /** @param {RoomState} newState */
    draw(newState) {
      state = newState;
      const { you, passAndPlay } = newState;
      show(element, !passAndPlay && (lines.length > 0 || can(you, "chat") || can(you, "react")));
      show(form, can(you, "chat"));
      show(reactions, can(you, "react"));
    },
  };
}
