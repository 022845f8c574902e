import { rowsOf } from "./state.js";
import { warnOnError } from "../net/failures.js";
import { button, createDialog, createForm, h, labelled, openOnce, setText, show } from "../browser/dom.js";
import { createConfirmed } from "../start/confirmed.js";
import { createResumeCode } from "../net/guest.js";
import { tournamentLink, wallUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { timeOfDay } from "../texts/moments.js";
import { createQr, drawQr } from "./pin.js";

/** What the host of a tournament may do: start, ring the bell, extend, show the wall, and keep order among the entrants. */

/** @import { Answer, Command, Row } from "../net/messages.js" */
/** @import { OpenTournament } from "./state.js" */

const EXTEND_MINUTES = 5;

/** @param {{id: string, send: (command: Command) => Promise<Answer>}} context */
export function createHostControls({ id, send }) {
  const startButton = button(t("tournament.start"), () => send({ type: "start" }), "primary big");
  const needs = h("p", { class: "secondary", text: t("tournament.needs") });
  const extendButton = button(t("tournament.extend", { n: EXTEND_MINUTES }), () =>
    send({ type: "extend", minutes: EXTEND_MINUTES }),
  );
  const end = () => send({ type: "stop" });
  const stop = createConfirmed(t("tournament.stop"), t("tournament.stop.sure"), end, t("tournament.stop.yes"));
  const cancel = createConfirmed(t("tournament.cancel"), t("tournament.cancel.sure"), end, t("tournament.cancel.yes"));
  const wallLink = h("a", { class: "button", target: "_blank", rel: "noopener", text: t("tournament.wall") });
  const deviceButton = button(t("tournament.device"), () => warnOnError(() => openDeviceDialog(id)));
  const marked = h("p", { class: "secondary", hidden: true });
  const hint = h("p", { class: "secondary", text: t("tournament.host.hint") });
  const element = h(
    "section",
    { class: "tournament-host", hidden: true },
    startButton,
    needs,
    h("div", { class: "buttons" }, wallLink, extendButton, deviceButton),
    cancel,
    stop,
    marked,
    hint,
  );

  return {
    element,
    /** @param {OpenTournament} state */
    draw(state) {
      const { message, pin } = state;
      const { tournament, you } = message;
      show(element, you.host);
      if (!you.host) return;
      const isFew = tournament.entrants < 2;
      show(startButton, you.can.includes("start"));
      startButton.disabled = isFew;
      show(needs, you.can.includes("start") && isFew);
      show(extendButton, you.can.includes("extend"));
      const isOpen = tournament.state === "open";
      show(cancel, isOpen && you.can.includes("stop"));
      show(stop, !isOpen && you.can.includes("stop"));
      show(deviceButton, tournament.state !== "over");
      wallLink.setAttribute("href", wallUrl(id, message.pin ?? pin));
      const names = (you.marked ?? []).flatMap((n) => rowsOf(state).find((row) => row.entrant === n)?.name ?? []);
      show(marked, names.length > 0);
      setText(marked, t("tournament.marked", { names: names.join(", ") }));
      show(hint, you.can.includes("remove") && tournament.entrants > 0);
    },
    /** Open what the host may do with an entrant. @param {Row} row */
    openEntrant(row) {
      const name = h("input", { type: "text", maxlength: 60, required: true });
      name.value = row.name;
      const { entrant } = row;
      const run = async (/** @type {Command} */ command) => {
        const answer = await send(command);
        if (answer.ok) dialog.close();
      };
      const rename = createForm(
        {},
        () => run({ type: "rename", entrant, name: name.value.trim() }),
        labelled(t("tournament.name"), name),
        h("button", { type: "submit", text: t("guest.save") }),
      );
      const free = createConfirmed(t("tournament.free"), t("tournament.free.what"), () =>
        run({ type: "free", entrant }),
      );
      const remove = createConfirmed(t("tournament.remove"), t("tournament.remove.sure", { name: row.name }), () =>
        run({ type: "remove", entrant }),
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

/** Show how the host continues on another device: the address, and a code for the same guest account. @param {string} id */
async function openDeviceDialog(id) {
  const { code, expires_ms: expiresMs } = await createResumeCode();
  const image = createQr();
  void drawQr(image, tournamentLink(id));
  openOnce(
    createDialog(
      t("close"),
      { "aria-labelledby": "device-title" },
      h("h2", { id: "device-title", text: t("tournament.device") }),
      h("p", { text: t("tournament.device.open") }),
      h("p", { class: "device-link", text: tournamentLink(id) }),
      image,
      h("p", { text: t("tournament.device.code") }),
      h("p", { class: "secondary", text: t("guest.code.expiry", { time: timeOfDay(expiresMs) }) }),
      h("output", { class: "code", translate: "no", text: code }),
    ),
  );
}
