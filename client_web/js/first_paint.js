/**
 * Before the first paint: take the stored appearance, and hide the HTML if it is not in the chosen language, or of another page.
 * The server puts this script into the HTML, because a file of its own would hold up the first paint. `preferences.js` and
 * `i18n.js` store the choices; `i18n.js` shows the texts again.
 */
try {
  const { dataset, lang } = document.documentElement;
  const contrast = matchMedia("(prefers-contrast: more)").matches ? "contrast" : "";
  const theme = localStorage.getItem("noughts.theme") ?? contrast;
  const language = localStorage.getItem("noughts.language");
  if (theme) dataset["theme"] = theme;
  if ((language && language !== lang) || location.hash.startsWith("#admin")) dataset["untranslated"] = "";
} catch {
  // The browser blocks its storage, so it holds no choice.
}
