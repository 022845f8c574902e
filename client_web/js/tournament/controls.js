import {
  button,
  createConfirmed,
  createDialog,
  createForm,
  h,
  labelled,
  openOnce,
  setText,
  show,
} from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { createResumeCode } from "../net/guest.js";
import { t, timeOfDay } from "../texts/i18n.js";

/** What the host of a tournament may do: start, ring the bell, extend, show the wall, and keep order among the entrants. */

/** @import { Answer, Command, Row, TournamentMessage } from "../net/messages.js" */

const EXTEND_MINUTES = 5;

/** @param {{send: (command: Command) => Promise<Answer>, wall: () => string}} context */
export function createHostControls({ send, wall }) {
  const startButton = button(t("tournament.start"), () => void send({ type: "start" }), "primary big");
  const needs = h("p", { class: "secondary", text: t("tournament.needs") });
  const extendButton = button(
    t("tournament.extend", { n: EXTEND_MINUTES }),
    () => void send({ type: "extend", minutes: EXTEND_MINUTES }),
  );
  const stop = createConfirmed(
    {
      label: t("tournament.stop"),
      question: t("tournament.stop.sure"),
      yes: t("tournament.stop.yes"),
      cancel: t("cancel"),
    },
    () => void send({ type: "stop" }),
  );
  const wallLink = h("a", { class: "button", target: "_blank", rel: "noopener", text: t("tournament.wall") });
  const code = h("output", { class: "code" });
  const codeButton = button(t("tournament.device"), () => void warnOnError(showCode));
  const marked = h("p", { class: "secondary", hidden: true });
  const hint = h("p", { class: "secondary", text: t("tournament.host.hint") });
  const element = h(
    "section",
    { class: "tournament-host", hidden: true },
    startButton,
    needs,
    h("div", { class: "buttons" }, wallLink, extendButton, codeButton),
    code,
    stop,
    marked,
    hint,
  );

  async function showCode() {
    const { code: text, expires_ms } = await createResumeCode();
    setText(code, `${text} · ${t("guest.code.expiry", { time: timeOfDay(expires_ms) })}`);
  }

  return {
    element,
    /** @param {TournamentMessage} message */
    draw({ tournament, you, top, around }) {
      show(element, you.host);
      if (!you.host) return;
      const isFew = tournament.entrants < 2;
      show(startButton, you.can.includes("start"));
      startButton.disabled = isFew;
      show(needs, you.can.includes("start") && isFew);
      show(extendButton, you.can.includes("extend"));
      show(stop, you.can.includes("stop"));
      show(wallLink, true);
      wallLink.setAttribute("href", wall());
      const names = (you.marked ?? []).map(
        (n) => [...top, ...around].find((row) => row.entrant === n)?.name ?? `#${n}`,
      );
      show(marked, names.length > 0);
      setText(marked, t("tournament.marked", { names: names.join(", ") }));
      show(hint, you.can.includes("remove"));
    },
    /** Open what the host may do with an entrant. @param {Row} row */
    openEntrant(row) {
      const name = h("input", { type: "text", maxlength: 24, required: true });
      name.value = row.name;
      const { entrant } = row;
      const run = async (/** @type {Command} */ command) => {
        const answer = await send(command);
        if (answer.ok) dialog.close();
      };
      const rename = createForm(
        {},
        () => void run({ type: "rename", entrant, name: name.value.trim() }),
        labelled(t("tournament.name"), name),
        h("button", { type: "submit", text: t("guest.save") }),
      );
      const free = button(t("tournament.free"), () => void run({ type: "free", entrant }));
      const remove = createConfirmed(
        {
          label: t("tournament.remove"),
          question: t("tournament.remove.sure", { name: row.name }),
          yes: t("tournament.remove"),
          cancel: t("cancel"),
        },
        () => void run({ type: "remove", entrant }),
      );
      const dialog = createDialog(
        t("close"),
        { "aria-label": row.name },
        h("h2", { text: row.name }),
        rename,
        h("p", { class: "secondary", text: t("tournament.free.what") }),
        free,
        remove,
        h("div", { class: "dialog-toasts", role: "status" }),
      );
      openOnce(dialog);
    },
  };
}
