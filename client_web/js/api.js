import { t } from "./i18n.js";
import * as urls from "./urls.js";

/** The HTTP API of the server. */

/** An HTTP request that failed: with the server's status and code, or with status 0 if the server cannot be reached. */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Send a request. Return the JSON of the response, or its text if it is not JSON. Throw an ApiError.
 * @param {string} method
 * @param {string} path below /api/
 * @param {{token?: string|null, body?: unknown}} [options]
 * @returns {Promise<any>}
 */
export async function request(method, path, { token = null, body } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers["Authorization"] = "Bearer " + token;
  if (body !== undefined || method === "POST") headers["Content-Type"] = "application/json";
  const options = { method, headers, body: body === undefined ? null : JSON.stringify(body), cache: /** @type {const} */ ("no-store") };
  let response;
  try {
    response = await fetch(urls.api(path), options);
  } catch {
    throw new ApiError(0, "unreachable", t("error.unreachable"));
  }
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const content = isJson ? await response.json().catch(() => null) : await response.text();
  if (response.ok) return content;
  const { code = "internal", message = t("error.http", { status: response.status }) } = content?.error ?? {};
  throw new ApiError(response.status, code, message);
}
