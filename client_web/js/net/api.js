import { rejectionText, t } from "../texts/i18n.js";
import { HttpError, requestJson } from "./http.js";
import { apiUrl } from "./urls.js";

/** The HTTP API of the page's own server, with messages in the visitor's language. */

/**
 * Send a request. Return the JSON of the response, or its text if it is not JSON. Throw an HttpError.
 * @param {string} method
 * @param {string} path below /api/
 * @param {{token?: string|null, body?: unknown}} [options]
 * @returns {Promise<any>}
 */
export async function request(method, path, options) {
  try {
    return await requestJson(method, apiUrl(path), options);
  } catch (error) {
    if (error instanceof HttpError) error.message = error.status === 0 ? t("error.unreachable") : rejectionText(error);
    throw error;
  }
}
