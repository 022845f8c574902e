import { warn } from "./notices.js";
import { t } from "./i18n.js";

/**
 * Open the input for the name of a cell. It is imported when it is first wanted.
 * @param {import("./cell_dialog.js").NamedCells} board
 */
export async function enterCell(board) {
  try {
    const { openCellDialog } = await import("./cell_dialog.js");
    openCellDialog(board);
  } catch {
    warn(t("error.unreachable"));
  }
}
