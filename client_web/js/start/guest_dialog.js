import { warnOnError } from "../net/failures.js";
import { button, createDialog, createForm, h, labelled, setText, show } from "../browser/dom.js";
import { toast } from "../browser/toasts.js";
import { features, request } from "../net/api.js";
import {
  createResumeCode,
  guestPlayer,
  guestToken,
  loadAccount,
  renameGuest,
  requestAsGuest,
  saveAccount,
} from "../net/guest.js";
import { clearPlayedGames } from "../net/played_games.js";
import { normalized } from "../texts/normalized.js";
import { t } from "../texts/i18n.js";
import { timeOfDay } from "../texts/moments.js";
import { createConfirmed } from "./confirmed.js";

/** The dialog of the guest: rename, use on another device, download what is stored, delete. */

/** @param {string} label @param {HTMLInputElement} input @param {string} word @param {() => Promise<void>} onSubmit */
const inputForm = (label, input, word, onSubmit) =>
  createForm({}, () => warnOnError(onSubmit), labelled(label, input), h("button", { type: "submit", text: word }));

/** Delete the account in this browser and on the server, which closes its connections before it answers. */
async function deleteAccount() {
  const account = loadAccount();
  saveAccount(null);
  try {
    if (account) await request("DELETE", "players/me", { token: account.token });
  } catch (error) {
    saveAccount(account);
    throw error;
  }
}

/** Create the dialog. Return the function that opens it. */
export function createGuestDialog() {
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", required: true });
  const nameForm = inputForm(t("guest.name"), name, t("guest.save"), async () => {
    await renameGuest(name.value.trim());
    toast(t("guest.saved", { name: guestPlayer()?.name ?? "" }));
  });
  const codeExpiry = h("p", { class: "secondary", hidden: true });
  const newCode = h("output", { class: "code", translate: "no" });
  const codeButton = button(t("guest.code.get"), () =>
    warnOnError(async () => {
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
    saveAccount(await request("POST", "players/resume", { body: { code: normalized(code.value) } }));
    code.value = "";
    toast(t("guest.code.used", { name: guestPlayer()?.name ?? "" }));
  });
  const haveButton = button(t("guest.code.have"), () => {
    show(haveButton, false);
    show(codeForm, true);
    code.focus();
  });
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
    haveButton,
    codeForm,
    deletion,
    h("div", { class: "dialog-toasts", role: "status" }),
  );

  const exportButton = button(t("guest.export"), () =>
    warnOnError(async () => {
      const stored = JSON.stringify(await requestAsGuest("GET", "players/me/export"), null, 2);
      const url = URL.createObjectURL(new Blob([stored], { type: "application/json" }));
      h("a", { href: url, download: "noughts.json" }).click();
      URL.revokeObjectURL(url);
    }),
  );

  const createDeletion = () =>
    createConfirmed(
      t("guest.delete"),
      t("guest.delete.sure"),
      () =>
        void warnOnError(async () => {
          await deleteAccount();
          clearPlayedGames();
          dialog.close();
          toast(t("guest.deleted"));
        }),
      t("guest.delete.yes"),
    );

  function open() {
    name.value = guestPlayer()?.name ?? "";
    show(nameForm, features().free_names);
    setText(newCode, "");
    show(codeExpiry, false);
    show(haveButton, true);
    show(codeForm, false);
    deletion.replaceChildren(...(guestToken() ? [exportButton, createDeletion()] : []));
    dialog.showModal();
  }

  document.body.append(dialog);
  return open;
}
