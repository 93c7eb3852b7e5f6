// The server's API. Every refusal is an Error whose message is a sentence for people.

export class Refusal extends Error {
  constructor(status, detail, current) {
    super(detail);
    this.status = status;
    this.current = current;
  }
}

/** Send a request below /api; answers the parsed JSON, or null when there is none. */
export async function call(method, path, { body, revision, key } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
  if (key !== undefined) headers["Idempotency-Key"] = key;
  let answer;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(
      0,
      "The server cannot be reached. Nothing was recorded; try again in a moment.",
    );
  }
  if (answer.status === 401) location.assign("/login");
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => null);
  if (!answer.ok)
    throw new Refusal(
      answer.status,
      data?.detail ?? `The server answered ${answer.status}.`,
      data?.current,
    );
  return data;
}

export const get = (path) => call("GET", path);
export const post = (path, options = {}) => call("POST", path, options);

/** Where a study's things are. */
export const at = (study, rest = "") => `/studies/${encodeURIComponent(study)}${rest}`;

/** A key that no other edit has. */
export const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
