import * as paths from "./paths.js";
import { t } from "./i18n.js";

/** What the server refused, or that it could not be reached (status 0). */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {string} method
 * @param {string} path below /api/
 * @param {{token?: string|null, body?: unknown}} [options]
 * @returns {Promise<any>} the JSON, or the text of another content type
 */
export async function call(method, path, { token = null, body } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers["Authorization"] = "Bearer " + token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const options = { method, headers, body: body === undefined ? null : JSON.stringify(body), cache: /** @type {const} */ ("no-store") };
  let response;
  try {
    response = await fetch(paths.api(path), options);
  } catch {
    throw new ApiError(0, "unreachable", t("error.unreachable"));
  }
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const answer = isJson ? await response.json().catch(() => null) : await response.text();
  if (response.ok) return answer;
  const { code = "internal", message = t("error.status", { status: response.status }) } = answer?.error ?? {};
  throw new ApiError(response.status, code, message);
}
