// The server's API. Every refusal is an Error whose message is a sentence for people.

/** An answer of the server that is not a success; status 0: there was no answer. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   * @param {any} [current] the state as it is now, if the server sent it
   * @param {number} [after] seconds that the server asks to wait
   */
  constructor(status, detail, current, after = 0) {
    super(detail);
    this.status = status;
    this.current = current;
    this.after = after;
  }
}

/** @typedef {{ body?: unknown, revision?: number, key?: string }} Options */

/** @param {string} method @param {Options} options @returns {RequestInit} */
function request(method, { body, revision, key }) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
  if (key !== undefined) headers["Idempotency-Key"] = key;
  return { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
}

/**
 * Send a request below /api and parse the answer; null if it is empty.
 * Raises Refusal if the server cannot be reached or refuses.
 * @param {string} method @param {string} path @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function call(method, path, options = {}) {
  const answer = await fetch(`/api${path}`, request(method, options)).catch(() => {
    throw new Refusal(
      0,
      "The server cannot be reached. Nothing was recorded; try again in a moment.",
    );
  });
  if (answer.status === 401) logIn();
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => undefined);
  if (answer.ok && data !== undefined) return data; // a proxy's page is not an answer
  throw new Refusal(
    answer.status,
    data?.detail ?? `The server answered ${answer.status}.`,
    data?.current,
    Number(answer.headers?.get("Retry-After")) || 0,
  );
}

/** The session has ended: log in and come back to this page. */
function logIn() {
  const next = location.pathname + location.search;
  location.assign(`/login?${new URLSearchParams({ next, ended: "1" })}`);
}

/** @param {string} path */
export const get = (path) => call("GET", path);

/** @param {string} path @param {Options} [options] */
export const post = (path, options = {}) => call("POST", path, options);

/** @param {string} path @param {Options} [options] */
export const patch = (path, options = {}) => call("PATCH", path, options);

/** The path of something that belongs to a study. @param {string} study @param {string} [rest] */
export const at = (study, rest = "") => `/studies/${encodeURIComponent(study)}${rest}`;

/** A new idempotency key. */
export const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
