import { button, h, labelled, setText, show } from "./dom.js";
import * as guest from "./guest.js";
import { t } from "./i18n.js";
import { toast } from "./notices.js";
import { features } from "./variants.js";

/** The button with the guest's name, and its dialog: rename, use on another device, delete. */

/** Run a function. Show the reason if it fails. @param {() => Promise<void>} run */
async function toastErrors(run) {
  try {
    await run();
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
  }
}

/** @param {string} label @param {HTMLInputElement} input @param {string} buttonText @param {() => Promise<void>} onSubmit */
function createForm(label, input, buttonText, onSubmit) {
  return h("form", {
    on: {
      /** @param {Event} event */
      submit(event) {
        event.preventDefault();
        void toastErrors(onSubmit);
      },
    },
  }, labelled(label, input), h("button", { type: "submit", text: buttonText }));
}

/** Return the button and the dialog. @returns {[HTMLElement, HTMLElement]} */
export function createGuestDialog() {
  const openButton = button("", () => open(), "guest-button");
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", required: true });
  const nameForm = createForm(t("guest.name"), name, t("guest.save"), async () => {
    await guest.rename(name.value.trim());
    toast(t("guest.saved", { name: guest.player()?.name ?? "" }));
  });
  const codeExpiry = h("p", { class: "secondary", hidden: true });
  const newCode = h("output", { class: "code" });
  const codeButton = button(t("guest.code.get"), () => void toastErrors(async () => {
    const resumeCode = await guest.createResumeCode();
    const time = new Date(resumeCode.expires_ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    setText(codeExpiry, t("guest.code.expiry", { time }));
    setText(newCode, resumeCode.code);
    show(codeExpiry, true);
  }));
  const code = h("input", { type: "text", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", required: true });
  const codeForm = createForm(t("guest.code"), code, t("guest.code.use"), async () => {
    await guest.resume(code.value.trim());
    code.value = "";
    toast(t("guest.code.used", { name: guest.player()?.name ?? "" }));
  });
  const deletion = h("div", { class: "buttons" });
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "guest-title" },
    h("h2", { id: "guest-title", text: t("guest.title") }),
    nameForm,
    h("h3", { text: t("guest.device") }), h("p", { class: "secondary", text: t("guest.device.how") }),
    codeButton, codeExpiry, newCode,
    codeForm,
    deletion,
    h("div", { class: "dialog-toasts", role: "status" }),
    button(t("close"), () => dialog.close()));

  function confirmDeletion() {
    deletion.replaceChildren(h("span", { text: t("guest.delete.sure") }),
      button(t("guest.delete.yes"), () => void toastErrors(async () => {
        await guest.deleteAccount();
        dialog.close();
        toast(t("guest.deleted"));
      }), "danger"),
      button(t("cancel"), () => offerDeletion()));
  }

  function offerDeletion() {
    deletion.replaceChildren(...(guest.token() ? [button(t("guest.delete"), confirmDeletion)] : []));
  }

  function open() {
    name.value = guest.player()?.name ?? "";
    show(nameForm, features().free_names);
    setText(newCode, "");
    show(codeExpiry, false);
    offerDeletion();
    dialog.showModal();
  }

  function draw() {
    const player = guest.player();
    setText(openButton, player ? player.name : t("guest"));
    openButton.setAttribute("aria-label", player ? t("guest.button", { name: player.name }) : t("guest.nameless"));
  }

  guest.onChange(draw);
  draw();
  return [openButton, dialog];
}
