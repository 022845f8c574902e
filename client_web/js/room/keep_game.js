import { createDialog, h, openOnce } from "../browser/dom.js";
import { createResumeCode } from "../net/guest.js";
import { t, timeOfDay } from "../texts/i18n.js";

/** The dialog that lets you open a game of days on your other devices: a code, and where to enter it. */

/** Get a code from the server, and show it. */
export async function openKeepDialog() {
  const { code, expires_ms: expiresMs } = await createResumeCode();
  openOnce(
    createDialog(
      t("close"),
      { "aria-labelledby": "keep-title" },
      h("h2", { id: "keep-title", text: t("keep.title") }),
      h("p", { text: t("keep.how") }),
      h("p", { class: "secondary", text: t("guest.code.expiry", { time: timeOfDay(expiresMs) }) }),
      h("output", { class: "code", text: code }),
    ),
  );
}
