import { setAttr, setText } from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { guestPlayer, onGuestChange } from "../net/guest.js";
import { t } from "../texts/i18n.js";

/** The header of every page: the way home, your own face, and the gear. Both dialogs are imported when they are wanted. */

/** @param {string} selector */
const inHeader = (selector) => /** @type {HTMLElement} */ (document.querySelector(`#top ${selector}`));

/** Put the header, which the HTML brings, into the page's language, and let its buttons work. */
export function startHeader() {
  inHeader(".brand").setAttribute("aria-label", t("app.home"));
  setText(inHeader(".brand-name"), t("app.name"));
  const gear = inHeader(".gear");
  gear.setAttribute("aria-label", t("gear"));
  gear.title = t("gear");
  gear.addEventListener("click", () =>
    warnOnError(async () => (await import("../start/settings_dialog.js")).openSettingsDialog()),
  );
  startGuestButton(inHeader(".guest-button"));
  inHeader(".top-right").inert = false;
}

/** Let the button with your mark and your name open the dialog of the guest. @param {HTMLElement} guestButton */
function startGuestButton(guestButton) {
  /** @type {(() => void)|null} */
  let open = null;
  guestButton.addEventListener("click", () =>
    warnOnError(async () => {
      open ??= (await import("../start/guest_dialog.js")).createGuestDialog();
      open();
    }),
  );
  const draw = () => {
    const name = guestPlayer()?.name ?? t("guest.title");
    setText(inHeader(".guest-name"), name);
    guestButton.setAttribute("aria-label", t("guest.button", { name }));
  };
  onGuestChange(draw);
  draw();
}

/** Show your mark in the circle of your face, or a person without a mark. @param {string|null} mark */
export const showFace = (mark) => setAttr(inHeader(".face"), "data-mark", mark === "X" || mark === "O" ? mark : null);
