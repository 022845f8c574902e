/**
 * The page's icon, drawn here: the mark of the player whose turn it is, with a dot for chat lines that are out of
 * sight.
 */

const X_PATH = "<path d='M9 9 23 23M23 9 9 23' stroke='#2257c4'/>";
const O_PATH = "<circle cx='16' cy='16' r='8' stroke='#c9420f'/>";
const SMALL = "<path d='M4 11 12 21M12 11 4 21' stroke='#2257c4'/><circle cx='23' cy='16' r='5.500' stroke='#c9420f'/>";
const DOT = "<circle cx='27' cy='5' r='5' fill='#b3261e' stroke='none'/>";

let shown = " false"; // the icon of the HTML: both marks
let original = "";

/** @param {import("./messages.js").Mark|null} mark null shows both marks @param {boolean} hasNewLines */
export function setTurnIcon(mark, hasNewLines) {
  const key = `${mark ?? ""} ${hasNewLines}`;
  const link = document.querySelector("link[rel=icon]");
  if (!link || key === shown) return;
  original ||= link.getAttribute("href") ?? "";
  shown = key;
  const ground = mark ? "<rect width='32' height='32' rx='8' fill='#fffefb'/>" : "";
  const picture = mark === "X" ? X_PATH : mark === "O" ? O_PATH : SMALL;
  const strokes = `fill='none' stroke-width='${mark ? 5 : 3}' stroke-linecap='round'`;
  const icon =
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>` +
    `<g ${strokes}>${ground}${picture}${hasNewLines ? DOT : ""}</g></svg>`;
  link.setAttribute("href", mark || hasNewLines ? "data:image/svg+xml," + encodeURIComponent(icon) : original);
}
