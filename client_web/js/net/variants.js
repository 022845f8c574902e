import { translated } from "../texts/i18n.js";
import { request } from "./api.js";
import { setPublicUrl } from "./urls.js";

/**
 * The variants and features of the server, from the data block in the page's HTML, with names and rules in the
 * page's language.
 */

/** @import { Features, Variant } from "./messages.js" */

/** @type {Promise<Variant[]>|null} */
let variants = null;
/** @type {Features} */
let serverFeatures = { lobby: true, free_names: true, public_url: null };

/** Return the server's features, or the default ones until `loadVariants` has resolved. */
export const features = () => serverFeatures;

/** @returns {Promise<Variant[]>} */
export function loadVariants() {
  variants ??= loadContent()
    .then((content) => {
      serverFeatures = { ...serverFeatures, ...content.features };
      if (serverFeatures.public_url) setPublicUrl(serverFeatures.public_url);
      return content.variants.map(inLanguage);
    })
    .catch((error) => {
      variants = null;
      throw error;
    });
  return variants;
}

/** @param {Variant} variant @returns {Variant} */
const inLanguage = (variant) => ({
  ...variant,
  name: translated("variant." + variant.key, variant.name),
  rules: translated("rules." + variant.key, variant.rules),
});

/** Return the data block, or the same from the server. @returns {Promise<{variants: Variant[], features: Features}>} */
async function loadContent() {
  const block = document.getElementById("page-data")?.textContent;
  return block ? JSON.parse(block) : request("GET", "variants");
}
