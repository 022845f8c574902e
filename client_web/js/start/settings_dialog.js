import { button, createDialog, h, labelledSelect, openOnce, setText, show } from "../browser/dom.js";
import { canNotify, isPushOn, notifies, setNotifies, warn, warnOnError } from "../browser/toasts.js";
import { setTheme, theme, THEMES } from "../browser/preferences.js";
import { onSoundChange, setSound, soundIsOn } from "../browser/sound.js";
import { guestToken } from "../net/guest.js";
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
  const notifyButton = button("", () => void setNotifies(!notifies()).then(drawNotify));
  const drawNotify = () => {
    show(notifyButton, canNotify());
    setText(notifyButton, t(notifies() ? "notify.turn_off" : "notify.turn_on"));
  };
  drawNotify();
  const pushButton = button("", async () => {
    await warnOnError(async () => {
      const { subscribe, unsubscribe } = await import("../net/push.js");
      if (isPushOn()) await unsubscribe();
      else warn((await subscribe()) ?? "");
    });
    drawPush();
  });
  const drawPush = () => setText(pushButton, t(isPushOn() ? "push.turn_off" : "push.turn_on"));
  drawPush();
  show(pushButton, guestToken() !== null);
  void import("../net/push.js").catch(() => {}); // so that the browser asks at once
  const keysButton = button(t("keys.title"), () => {
    dialog.close();
    openKeysDialog();
  });
  const dialog = createDialog(
    t("close"),
    { "aria-labelledby": "settings-title" },
    h("h2", { id: "settings-title", text: t("gear") }),
    appearance.element,
    language.element,
    h("label", { class: "switch" }, sound, h("span", { text: t("sound") })),
    notifyButton,
    pushButton,
    keysButton,
    h("div", { class: "dialog-toasts", role: "status" }),
  );
  dialog.addEventListener("close", onSoundChange(drawSound));
  openOnce(dialog);
}
