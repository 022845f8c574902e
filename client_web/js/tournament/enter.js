import { loadStyleSheet } from "../browser/style_sheet.js";
import { addTexts } from "../texts/i18n.js";

/** Load the texts and the style sheet that only the pages of tournaments need. */
export const prepare = () => Promise.all([addTexts("tournament"), loadStyleSheet("tournament.css")]);
