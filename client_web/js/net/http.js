/** HTTP requests to a server, with JSON in both directions. */

/** Return the JSON of what a person sends. The page isolates names from right to left, and a server takes none of these characters. @param {unknown} body */
export const sentJson = (body) => JSON.stringify(body).replace(/[\u2066-\u2069]/g, "");

/**
 * A request that failed: with the server's status, code and message, or with status 0 if the server cannot be
 * reached.
 */
export class HttpError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Send a request. Return the JSON of the response, or its text if it is not JSON. Throw an HttpError.
 * @param {string} method
 * @param {string} url
 * @param {{token?: string|null, body?: unknown, onDate?: (ms: number) => void}} [options] `onDate` gets the time at which a
 *   server of the same origin answered, to the second
 * @returns {Promise<any>}
 */
export async function requestJson(method, url, { token = null, body, onDate } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers["Authorization"] = `Bearer ${encodeURIComponent(token)}`;
  if (body !== undefined || method === "POST") headers["Content-Type"] = "application/json";
  const { lang } = globalThis.document?.documentElement ?? {};
  if (lang) headers["Accept-Language"] = lang; // a made-up name is in the language of the page
  const content = body === undefined ? null : sentJson(body);
  let response;
  try {
    response = await fetch(url, { method, headers, body: content, cache: "no-store" });
  } catch {
    throw new HttpError(0, "unreachable", "The server cannot be reached, or does not list this page's origin.");
  }
  const date = response.headers.get("Date");
  if (date) onDate?.(Date.parse(date));
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const answer = isJson ? await response.json().catch(() => null) : await response.text();
  if (response.ok) return answer;
  const { code = "internal", message = "" } = answer?.error ?? {};
  throw new HttpError(response.status, code, message || `The server answered with status ${response.status}.`);
}
