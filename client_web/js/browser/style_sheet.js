import { h } from "./dom.js";

/**
 * Load a style sheet that only some pages need, unless the HTML of the page names it.
 * @param {string} name of a file in css/
 */
export function loadStyleSheet(name) {
  const href = new URL(`../../css/${name}`, import.meta.url).href;
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return null;
  const link = h("link", { rel: "stylesheet", href });
  const arrival = new Promise((resolve) => {
    link.onload = link.onerror = resolve;
  });
  document.head.append(link);
  return arrival;
}
