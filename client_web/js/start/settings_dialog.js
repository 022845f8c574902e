import { warnOnError } from "../net/failures.js";
import { button, createDialog, h, labelledSelect, openOnce, setText } from "../browser/dom.js";
import { isPushOn, notifies, setNotifies, warn } from "../browser/toasts.js";
import { setTheme, theme, THEMES } from "../browser/preferences.js";
import { onSoundChange, setSound, soundIsOn } from "../browser/sound.js";
import { guestToken } from "../net/guest.js";
import { docUrl } from "../net/urls.js";
import { chooseLanguage, chosenLanguage, LANGUAGES, t } from "../texts/i18n.js";
import { openKeysDialog } from "./key_dialogs.js";

/** The dialog behind the gear: how the page looks, speaks and sounds in this browser. */

export function openSettingsDialog() {
  const appearance = labelledSelect(
    t("theme"),
    THEMES.map((name) => ({ value: name, text: t(`theme.${name}`) })),
    theme(),
    setTheme,
  );
  const language = labelledSelect(
    t("language"),
    [{ value: "", text: t("language.system") }, ...LANGUAGES.map(({ key, name }) => ({ value: key, text: name }))],
    chosenLanguage(),
    (key) => {
      chooseLanguage(key);
      location.reload();
    },
  );
  const sound = h("input", { type: "checkbox", on: { change: () => setSound(sound.checked) } });
  const drawSound = () => {
    sound.checked = soundIsOn();
  };
  drawSound();
  const isOn = () => notifies() || isPushOn();
  const notifyButton = button("", async () => {
    await warnOnError(() => setNotices(!isOn()));
    drawNotify();
  });
  const drawNotify = () => setText(notifyButton, t(isOn() ? "notify.turn_off" : "notify.turn_on"));
  drawNotify();
  void import("../net/push.js").catch(() => {}); // so that the browser asks at once
  const keysButton = button(t("keys.title"), () => {
    dialog.close();
    void openKeysDialog();
  });
  const dialog = createDialog(
    t("close"),
    { "aria-labelledby": "settings-title" },
    h("h2", { id: "settings-title", text: t("gear") }),
    appearance.element,
    language.element,
    h("label", { class: "switch" }, sound, h("span", { text: t("sound") })),
    notifyButton,
    matchMedia("(any-pointer: fine)").matches && keysButton,
    h("a", { href: docUrl("README"), text: t("start.docs") }),
    h("div", { class: "dialog-toasts", role: "status" }),
  );
  dialog.addEventListener("close", onSoundChange(drawSound));
  openOnce(dialog);
}

/** Turn notices on or off: on this page while it is hidden, and for a guest by push while no page is open. @param {boolean} on */
async function setNotices(on) {
  const shown = setNotifies(on); // the browser wants to be asked by the tap itself
  const { subscribe, unsubscribe } = await import("../net/push.js");
  const problem = on && guestToken() ? await subscribe() : null;
  if (!on && isPushOn()) await unsubscribe();
  if (!(await shown) && problem) warn(problem);
}
