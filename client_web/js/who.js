import { button, h, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { toast } from "./live.js";
import * as session from "./session.js";
import { features } from "./variants.js";

/** The guest of this browser: name, another device, being forgotten. */

/** Runs what may be refused and says why. @param {() => Promise<void>} what */
async function attempt(what) {
  try {
    await what();
  } catch (fault) {
    toast(/** @type {Error} */ (fault).message);
  }
}

/** @param {string} label @param {HTMLInputElement} input @param {string} go @param {() => Promise<void>} submit */
function smallForm(label, input, go, submit) {
  return h("form", {
    on: {
      /** @param {Event} event */
      submit(event) {
        event.preventDefault();
        void attempt(submit);
      },
    },
  }, h("label", { class: "choice" }, h("span", { text: label }), input), h("button", { type: "submit", text: go }));
}

export function createWho() {
  const open = button("", () => show_(), "who");
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", required: true });
  const naming = smallForm(t("who.name"), name, t("who.save"), async () => {
    await session.rename(name.value.trim());
    toast(t("who.saved", { name: session.player()?.name ?? "" }));
  });
  const code = h("input", { type: "text", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", required: true });
  const shown = h("output", { class: "code" });
  const until = h("p", { class: "quiet", hidden: true });
  const forgetting = h("div", { class: "buttons" });
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "who-title" },
    h("h2", { id: "who-title", text: t("who.title") }),
    naming,
    h("h3", { text: t("who.move") }), h("p", { class: "quiet", text: t("who.move.what") }),
    button(t("who.code.get"), () => void attempt(async () => {
      const made = await session.resumeCode();
      setText(until, t("who.code.is", { time: new Date(made.expires_ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) }));
      setText(shown, made.code);
      show(until, true);
    })), until, shown,
    smallForm(t("who.code"), code, t("who.code.use"), async () => {
      await session.resume(code.value.trim());
      code.value = "";
      toast(t("who.code.used", { name: session.player()?.name ?? "" }));
    }),
    forgetting,
    h("div", { class: "dialog-toasts", role: "status" }),
    button(t("close"), () => dialog.close()));

  function askForget() {
    forgetting.replaceChildren(h("span", { text: t("who.forget.sure") }),
      button(t("who.forget.yes"), () => void attempt(async () => {
        await session.forget();
        dialog.close();
        toast(t("who.forgotten"));
      }), "danger"),
      button(t("cancel"), () => offerForget()));
  }

  function offerForget() {
    forgetting.replaceChildren(...(session.token() ? [button(t("who.forget"), askForget)] : []));
  }

  function show_() {
    name.value = session.player()?.name ?? "";
    show(naming, features().free_names);
    setText(shown, "");
    show(until, false);
    offerForget();
    dialog.showModal();
  }

  function draw() {
    const known = session.player();
    setText(open, known ? known.name : t("who.guest"));
    open.setAttribute("aria-label", known ? t("who.button", { name: known.name }) : t("who.nobody"));
  }

  session.onChange(draw);
  draw();
  return [open, dialog];
}
