import {
  button,
  createConfirmed,
  createDialog,
  createForm,
  h,
  labelled,
  labelledSelect,
  setText,
  show,
} from "../browser/dom.js";
import { canNotify, isPushOn, notifies, setNotifies, toast, warnOnError } from "../browser/notices.js";
import { setTheme, theme, THEMES } from "../browser/preferences.js";
import { features } from "../net/api.js";
import { createResumeCode, deleteAccount, guestPlayer, guestToken, renameGuest, resumeGuest } from "../net/guest.js";
import { clearPlayedGames } from "../net/played_games.js";
import { chooseLanguage, chosenLanguage, LANGUAGES, t, timeOfDay } from "../texts/i18n.js";
import { openKeysDialog } from "./key_dialogs.js";

/** The dialog of the guest: rename, appearance, notifications, use on another device, delete. */

/** @param {string} label @param {HTMLInputElement} input @param {string} word @param {() => Promise<void>} onSubmit */
const inputForm = (label, input, word, onSubmit) =>
  createForm({}, () => void warnOnError(onSubmit), labelled(label, input), h("button", { type: "submit", text: word }));

/** Create the dialog. Return the function that opens it. */
export function createGuestDialog() {
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", required: true });
  const nameForm = inputForm(t("guest.name"), name, t("guest.save"), async () => {
    await renameGuest(name.value.trim());
    toast(t("guest.saved", { name: guestPlayer()?.name ?? "" }));
  });
  const codeExpiry = h("p", { class: "secondary", hidden: true });
  const newCode = h("output", { class: "code" });
  const codeButton = button(
    t("guest.code.get"),
    () =>
      void warnOnError(async () => {
        const resumeCode = await createResumeCode();
        setText(codeExpiry, t("guest.code.expiry", { time: timeOfDay(resumeCode.expires_ms) }));
        setText(newCode, resumeCode.code);
        show(codeExpiry, true);
      }),
  );
  const code = h("input", {
    type: "text",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    required: true,
  });
  const codeForm = inputForm(t("guest.code"), code, t("guest.code.use"), async () => {
    await resumeGuest(code.value.trim());
    code.value = "";
    toast(t("guest.code.used", { name: guestPlayer()?.name ?? "" }));
  });
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
  const notifyButton = button("", () => void setNotifies(!notifies()).then(drawNotify));
  const drawNotify = () => {
    show(notifyButton, canNotify());
    setText(notifyButton, t(notifies() ? "notify.turn_off" : "notify.turn_on"));
  };
  drawNotify();
  const pushProblem = h("p", { class: "secondary", role: "status" });
  const pushButton = button("", async () => {
    await warnOnError(async () => {
      const { subscribe, unsubscribe } = await import("../net/push.js");
      setText(pushProblem, (isPushOn() ? await unsubscribe() : await subscribe()) ?? "");
    });
    drawPush();
  });
  const drawPush = () => setText(pushButton, t(isPushOn() ? "push.turn_off" : "push.turn_on"));
  const deletion = h("div");
  const dialog = createDialog(
    t("close"),
    { "aria-labelledby": "guest-title" },
    h("h2", { id: "guest-title", text: t("guest.title") }),
    nameForm,
    h("h3", { text: t("guest.device") }),
    h("p", { class: "secondary", text: t("guest.device.how") }),
    codeButton,
    codeExpiry,
    newCode,
    codeForm,
    deletion,
    h("h3", { text: t("page.title") }),
    appearance.element,
    language.element,
    notifyButton,
    pushButton,
    pushProblem,
    button(t("keys.title"), () => {
      dialog.close();
      void openKeysDialog();
    }),
    h("div", { class: "dialog-toasts", role: "status" }),
  );

  const createDeletion = () =>
    createConfirmed(
      {
        label: t("guest.delete"),
        question: t("guest.delete.sure"),
        yes: t("guest.delete.yes"),
        cancel: t("cancel"),
      },
      () =>
        void warnOnError(async () => {
          await deleteAccount();
          clearPlayedGames();
          dialog.close();
          toast(t("guest.deleted"));
        }),
    );

  function open() {
    name.value = guestPlayer()?.name ?? "";
    show(nameForm, features().free_names);
    setText(newCode, "");
    show(codeExpiry, false);
    setText(pushProblem, "");
    drawPush();
    show(pushButton, guestToken() !== null);
    void import("../net/push.js").catch(() => {}); // so that the browser asks at once
    deletion.replaceChildren(...(guestToken() ? [createDeletion()] : []));
    dialog.showModal();
  }

  document.body.append(dialog);
  return open;
}
