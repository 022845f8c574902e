import { button, createDialog, createForm, drawChildren, h, setAttr, setText, show } from "../browser/dom.js";
import { toast } from "../browser/toasts.js";
import { saveMuted } from "../browser/preferences.js";
import { guestPlayer } from "../net/guest.js";
import { can } from "../net/view.js";
import { plural, t } from "../texts/i18n.js";
import { authorName } from "../texts/names.js";

/** The chat of a room. A player mutes an author in this browser only; the owner can mute one for the whole room. */

/** @import { OpenState, RoomContext } from "./state.js" */

/** @typedef {import("../net/messages.js").Speaker} Author */

const BOTTOM_PX = 30; // a list scrolled this close to its end follows new lines

/** @param {RoomContext} context */
export function createChat({ sendCommand, dispatch }) {
  /** @type {OpenState|null} */
  let state = null;
  const title = h("h2", { text: t("chat.title") });
  const list = h("ol", { class: "chat-lines", tabindex: 0, "aria-label": t("chat.title") });
  const emptyNote = h("p", { class: "secondary", text: t("chat.none") });
  const unmuteButton = button("", unmuteAuthors, "quiet-text");
  const input = h("input", {
    type: "text",
    maxlength: 280,
    autocomplete: "off",
    "aria-label": t("chat.write"),
    placeholder: t("chat.write"),
  });
  const form = createForm(
    { class: "chat-form" },
    () => void submit(), // another line may be sent while this one is under way
    input,
    h("button", { type: "submit", text: t("chat.send") }),
  );
  const authorDialog = createAuthorDialog();
  const element = h(
    "section",
    { class: "chat" },
    title,
    h("div", { class: "chat-history" }, list, emptyNote),
    unmuteButton,
    form,
    authorDialog.element,
  );

  async function submit() {
    const text = input.value.replaceAll("\t", " ").trim(); // no chat line may hold a tab
    if (!text) return;
    input.value = "";
    const answer = await sendCommand({ type: "chat", text });
    if (!answer.ok && !input.value) input.value = text;
  }

  /** @param {Author} from */
  function createAuthor(from) {
    const author = button(authorName(from), () => authorDialog.open(from), "author");
    setAttr(author, "data-mark", from.mark);
    return author;
  }

  /** @param {OpenState} newState */
  function draw(newState) {
    state = newState;
    const { you, lines, muted } = newState;
    const visibleLines = lines.filter((line) => !muted.has(line.from.player));
    const isAtBottom = list.scrollTop + list.clientHeight >= list.scrollHeight - BOTTOM_PX;
    const ownId = guestPlayer()?.id; // players cannot mute themselves, so their own name is no button
    drawChildren(
      list,
      visibleLines,
      ({ n }) => String(n),
      ({ from, text, ply }) =>
        h(
          "li",
          {},
          from.player === ownId
            ? h("b", { class: "author", translate: "no", "data-mark": from.mark, text: authorName(from) })
            : createAuthor(from),
          h("span", { class: "line-text", text, dir: "auto" }),
          h("span", { class: "ply", text: t("chat.ply", { ply }) }),
        ),
    );
    show(emptyNote, lines.length === 0);
    show(list, visibleLines.length > 0);
    setText(unmuteButton, t("chat.unmute", { messages: plural("messages", lines.length - visibleLines.length) }));
    show(unmuteButton, visibleLines.length < lines.length);
    show(form, can(you, "chat"));
    if (isAtBottom) list.scrollTop = list.scrollHeight;
  }

  /** @param {readonly string[]} players @param {boolean} value */
  function muteForMe(players, value) {
    const muted = new Set(state?.muted ?? []);
    for (const player of players) {
      if (value) muted.add(player);
      else muted.delete(player);
    }
    dispatch({ type: "mute", muted: saveMuted([...muted]) });
  }

  /** The authors whom the owner muted, as far as this page knows: the view does not say. @type {Set<string>} */
  const mutedForAll = new Set();

  function createAuthorDialog() {
    const title = h("h2");
    const buttons = h("div", { class: "buttons column" });
    const dialog = createDialog(t("close"), {}, title, buttons);
    /** @param {string} label @param {() => void} run */
    const closingButton = (label, run) =>
      button(label, () => {
        dialog.close();
        run();
      });
    return {
      element: dialog,
      /** @param {Author} author */
      open(author) {
        const isMuted = Boolean(state?.muted.has(author.player));
        setText(title, authorName(author));
        buttons.replaceChildren(
          closingButton(t(isMuted ? "mute.me.undo" : "mute.me"), () => muteForMe([author.player], !isMuted)),
        );
        if (state && can(state.you, "mute")) {
          const done = mutedForAll.has(author.player);
          buttons.append(closingButton(t(done ? "mute.all.undo" : "mute.all"), () => muteForAll(author, !done)));
        }
        dialog.showModal();
      },
    };
  }

  /** @param {Author} author @param {boolean} value */
  async function muteForAll(author, value) {
    const answer = await sendCommand({ type: "mute", player: author.player, muted: value });
    if (!answer.ok) return;
    if (value) mutedForAll.add(author.player);
    else mutedForAll.delete(author.player);
    toast(t(value ? "mute.done" : "mute.undone", { name: authorName(author) }));
  }

  /** Unmute the authors of all lines in this room. */
  function unmuteAuthors() {
    muteForMe(
      (state?.lines ?? []).map(({ from }) => from.player),
      false,
    );
  }

  return { element, draw };
}
