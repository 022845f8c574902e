import { warnOfModule } from "../net/failures.js";
import { createLater, createLog, crossButton, h, setText, show } from "../browser/dom.js";
import { addTexts, t } from "../texts/i18n.js";

/**
 * The sheet of a room: chat, rules, people and settings. On a narrow screen it rises from the bottom over the page; on
 * a wide one it is a column beside the board and stays open. Its content is imported when it is first shown.
 */

/** @import { OpenState, RoomContext } from "./state.js" */

/** @param {RoomContext} context */
export function createSheet(context) {
  const { dispatch } = context;
  /** @type {OpenState|null} */
  let state = null;
  let isWide = false;
  const title = h("h2");
  const closeButton = crossButton(t("close"), () => dispatch({ type: "sheet", sheet: null }));
  const content = createLater(
    "sheet-body",
    async () => {
      const [module] = await Promise.all([import("../room/sheet_sections.js"), addTexts("server")]);
      return module.createRoomSheet(context);
    },
    { onError: () => warnOfModule() },
  );
  const element = h(
    "dialog",
    { class: "sheet", "aria-label": t("sheet") },
    h("div", { class: "sheet-head" }, title, closeButton),
    content.element,
    h("div", { class: "dialog-toasts", role: "status" }),
    createLog(),
  );
  element.addEventListener("close", () => {
    if (!isWide && state?.sheet) dispatch({ type: "sheet", sheet: null });
  });
  element.addEventListener("click", (event) => {
    if (event.target === element && !isWide) element.close(); // a click beside the sheet
  });

  return {
    element,
    /** @param {OpenState} newState */
    draw(newState) {
      state = newState;
      const { sheet, layout } = newState;
      if (isWide !== (layout === "wide")) element.close();
      isWide = layout === "wide";
      const isOpen = newState.view.phase !== "closed" && (isWide || sheet !== null);
      if (isOpen && !element.open) {
        if (isWide)
          element.open = true; // unlike show(), this takes no focus
        else element.showModal();
      } else if (!isOpen && element.open) element.close();
      if (!isOpen) return;
      setText(title, sheet ? t(`sheet.${sheet}`) : "");
      show(closeButton, !isWide || (sheet !== null && sheet !== "chat"));
      show(title, sheet !== null && (sheet !== "chat" || !isWide));
      content.draw(newState);
    },
  };
}
