// The requests to the server, and how it says no.

/** A request that the server refused, or that did not reach it. */
export class RequestError extends Error {
  /**
   * @param {string} code for a program: `no_such_match`, `offline`
   * @param {string} text for a person
   */
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

/**
 * @param {string} path below `/api/v1/`
 * @param {object} [body] what to send; a plain question if there is none
 * @returns {Promise<any>}
 */
async function request(path, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer, content;
  try {
    answer = await fetch(`/api/v1/${path}`, options);
    content = await answer.json();
  } catch {
    if (answer) throw new RequestError("not_json", `The server answered with ${answer.status}.`);
    throw new RequestError("offline", "The server cannot be reached.");
  }
  if (answer.ok) return content;
  const { code = "unknown", text = `The server answered with ${answer.status}.` } = content?.error ?? {};
  throw new RequestError(code, text);
}

export const games = () => request("games");
export const openMatches = () => request("matches");
/** @param {object} wish a `CreateMatch` */
export const create = (wish) => request("matches", wish);
/** @param {string} id */
export const status = (id) => request(`matches/${id}`);
/** @param {string} id @param {object} wish a `JoinMatch` */
export const join = (id, wish) => request(`matches/${id}/join`, wish);
/** @param {string} id */
export const record = (id) => request(`matches/${id}/games`);
/** @param {string} id @param {number} number */
export const frames = (id, number) => request(`matches/${id}/games/${number}`);
/** @param {string} game @param {string[]} moves */
export const judge = (game, moves) => request("judge", { game, moves });
