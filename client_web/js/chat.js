import { button, h, keyed, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { announce, toast } from "./live.js";
import * as session from "./session.js";
import { lasting } from "./storage.js";
import { can } from "./view.js";

/** Chat and reactions. Muting somebody for oneself stays in this browser; the owner may mute for the whole room. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Hands} Hands */
/** @typedef {import("./wire.js").ChatLine} ChatLine */
/** @typedef {import("./wire.js").Author} Author */

const KEY = "noughts.muted";
const KEEP_LINES = 200;
const KEEP_MUTED = 300;
const REACTION_MS = 4000;

/** @returns {string[]} */
function mutedPlayers() {
  try {
    const list = JSON.parse(lasting.get(KEY) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** @param {Author} author */
const nameOf = ({ name, mark }) => (name || t("who.someone")) + (mark ? ` (${mark})` : "");

/** @param {Hands} hands */
export function createChat(hands) {
  /** @type {ChatLine[]} */
  let lines = [];
  let muted = new Set(mutedPlayers());
  let first = true;
  /** @type {Scene|null} */
  let scene = null;

  const list = h("ol", { class: "lines", tabindex: 0, "aria-label": t("chat.title") });
  const empty = h("p", { class: "quiet", text: t("chat.none") });
  const hidden = button("", hearAll, "quiet");
  const text = h("input", { type: "text", maxlength: 280, autocomplete: "off", "aria-label": t("chat.say"), placeholder: t("chat.say") });
  const form = h("form", { class: "say", on: { submit } }, text, h("button", { type: "submit", text: t("chat.send") }));
  const reactions = h("div", { class: "reactions", role: "group" });
  const shelf = h("div", { class: "reaction-shelf", "aria-hidden": "true" });
  const person = personDialog();
  show(hidden, false);
  const element = h("section", { class: "card chat" }, h("h2", { text: t("chat.title") }), list, empty, hidden, reactions, form, person.element);

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const said = text.value.trim();
    if (!said) return;
    text.value = "";
    const answer = await hands.send({ type: "chat", text: said });
    if (!answer.ok && !text.value) text.value = said;
  }

  function redraw() {
    const heard = lines.filter((line) => !muted.has(line.from.player));
    const following = list.scrollTop + list.clientHeight >= list.scrollHeight - 30;
    const own = session.player()?.id; // of oneself there is nothing to decide
    keyed(list, heard, ({ n }) => String(n), ({ from, text: said, ply }) => h("li", {},
      from.player === own ? h("b", { class: "author", "data-mark": from.mark, text: nameOf(from) })
        : h("button", { type: "button", class: "author", "data-mark": from.mark, text: nameOf(from), on: { click: () => person.open(from) } }),
      h("span", { class: "said", text: said, dir: "auto" }), h("span", { class: "ply", text: t("chat.ply", { ply }) })));
    show(empty, lines.length === 0);
    show(list, heard.length > 0);
    setText(hidden, t("chat.hidden", { n: lines.length - heard.length }));
    show(hidden, heard.length < lines.length);
    if (following) list.scrollTop = list.scrollHeight;
  }

  /** @param {string} player @param {boolean} wanted */
  function muteForMe(player, wanted) {
    if (wanted) muted.add(player);
    else muted.delete(player);
    muted = new Set([...muted].slice(-KEEP_MUTED));
    lasting.set(KEY, JSON.stringify([...muted]));
    redraw();
  }

  function personDialog() {
    const title = h("h2");
    const buttons = h("div", { class: "buttons column" });
    const element = h("dialog", { class: "dialog" }, title, buttons, button(t("close"), () => element.close()));
    return {
      element,
      /** @param {Author} from */
      open(from) {
        const deafTo = muted.has(from.player);
        const act = (/** @type {() => void} */ what) => () => {
          element.close();
          what();
        };
        setText(title, t("mute.title", { name: nameOf(from) }));
        buttons.replaceChildren(button(t(deafTo ? "mute.me.undo" : "mute.me"), act(() => muteForMe(from.player, !deafTo))));
        if (scene && can(scene.you, "mute")) {
          buttons.append(button(t("mute.all"), act(() => void muteForAll(from, true))), button(t("mute.all.undo"), act(() => void muteForAll(from, false))));
        }
        element.showModal();
      },
    };
  }

  /** @param {Author} from @param {boolean} wanted */
  async function muteForAll(from, wanted) {
    const answer = await hands.send({ type: "mute", player: from.player, muted: wanted });
    if (answer.ok) toast(t(wanted ? "mute.done" : "mute.undone", { name: nameOf(from) }));
  }

  /** Everybody whom we have muted in this room is heard again. */
  function hearAll() {
    for (const { from } of lines) muteForMe(from.player, false);
  }

  return {
    element,
    /** Floats over the board. */
    shelf,
    /** @param {string[]} emojis */
    offer(emojis) {
      keyed(reactions, emojis, (emoji) => emoji, (emoji) => h("button", {
        type: "button", class: "reaction", text: emoji, "aria-label": t("chat.react", { emoji }),
        on: { click: () => void hands.send({ type: "react", emoji }) },
      }));
    },
    /** @param {import("./wire.js").ChatMessage} message */
    hear({ lines: heard }) {
      const known = new Set(lines.map(({ n }) => n));
      const fresh = heard.filter(({ n }) => !known.has(n));
      lines = [...lines, ...fresh].sort((a, b) => a.n - b.n).slice(-KEEP_LINES);
      if (!first) {
        for (const { from, text: said } of fresh) {
          if (!muted.has(from.player)) announce(t("chat.line", { name: nameOf(from), text: said }));
        }
      }
      first = false;
      redraw();
    },
    /** @param {import("./wire.js").ReactionMessage} message */
    react({ from, emoji }) {
      if (muted.has(from.player)) return;
      const chip = h("span", { class: "chip", "data-mark": from.mark }, h("b", { text: emoji }), " " + nameOf(from));
      shelf.append(chip);
      while (shelf.childElementCount > 4) shelf.firstElementChild?.remove();
      setTimeout(() => chip.remove(), REACTION_MS);
      announce(t("chat.reacted", { name: nameOf(from), emoji }));
    },
    /** @param {Scene} next */
    draw(next) {
      scene = next;
      show(element, !next.shared && (lines.length > 0 || can(next.you, "chat") || can(next.you, "react")));
      show(form, can(next.you, "chat"));
      show(reactions, can(next.you, "react"));
    },
  };
}
