import { readFile } from "node:fs/promises";

/** Catalogues of texts for modules that run in Node, whose `fetch` reads no files. The page speaks English at first. */
globalThis.fetch = async (url) => {
  const body = await readFile(url).catch(() => null);
  return { ok: body !== null, json: async () => JSON.parse(String(body)) };
};
const { ENGLISH, useLanguage } = await import("../../../client_web/js/texts/i18n.js");
await useLanguage(ENGLISH);
