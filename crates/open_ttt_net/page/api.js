// What the page asks: the server, or the WebAssembly module in this browser, which answers
// the same about games that it has.

import { gameOf, games as catalog } from "./catalog.js";
import { ask, EngineError, isReady } from "./engine.js";
import { setReached } from "./reach.js";
import { frames as soloFrames, isSolo } from "./solo.js";

/** A request that the server refused or that did not reach it. */
export class RequestError extends Error {
  /**
   * @param {string} code for programs: `no_such_match`, `offline`
   * @param {string} text for people
   */
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

/**
 * Sends a GET request, or a POST request if there is a body.
 * @template T the type of the response
 * @param {string} path below `/api/v1/`
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function request(path, body, signal) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  let response, content;
  try {
    response = await fetch(`/api/v1/${path}`, options);
    content = await response.json();
  } catch {
    // A proxy answers for a server that isn't there.
    const isMissing = response && response.status >= 502 && response.status <= 504;
    if (response && !isMissing) throw new RequestError("not_json", `Something went wrong (error ${response.status}).`);
    if (!signal?.aborted) setReached(false);
    throw new RequestError("offline", "Can't reach the server.");
  }
  // The list of games may come from what the browser has kept.
  if (path !== "games") setReached(true);
  if (response.ok) return content;
  const { code = "unknown", text = `Something went wrong (error ${response.status}).` } = content?.error ?? {};
  throw new RequestError(code, text);
}

/** Whether the module has a game, too. @param {string} game */
export async function isLocal(game) {
  const list = await catalog().catch(() => []);
  return gameOf(list, game)?.local === true;
}

/**
 * What the module answers.
 * @param {"table" | "judge" | "player"} worker
 * @param {object} request
 * @param {AbortSignal} [signal]
 */
export async function answered(worker, request, signal) {
  const { answer, error } = await ask(worker, request, signal);
  if (error) throw new RequestError(error.code, error.text);
  return answer;
}

/**
 * What the module finds out by a search, or else the server.
 * @param {string} game
 * @param {object} local the module's request
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 */
async function searched(game, local, path, body, signal) {
  if (await isLocal(game)) {
    try {
      return await answered("judge", local, signal);
    } catch (error) {
      if (!(error instanceof EngineError) || signal?.aborted) throw error;
    }
  }
  return request(path, body, signal);
}

/**
 * What needs no search: from the module if it is here already, or if the server can't be reached.
 * @param {string} game @param {object} local @param {string} path @param {object} [body]
 */
async function looked(game, local, path, body) {
  const isKnown = await isLocal(game);
  const orElse = async (/** @type {() => Promise<any>} */ first, /** @type {() => Promise<any>} */ second, /** @type {(error: unknown) => boolean} */ isMissing) => {
    try {
      return await first();
    } catch (error) {
      if (!isKnown || !isMissing(error)) throw error;
      return second().catch(() => Promise.reject(error));
    }
  };
  const here = () => answered("table", local);
  const there = () => request(path, body);
  if (isKnown && isReady()) return orElse(here, there, (error) => error instanceof EngineError);
  return orElse(there, here, (error) => error instanceof RequestError && error.code === "offline");
}

/** @returns {Promise<GameInfo[]>} */
export const games = () => request("games");
/** @param {number} from the number of newer matches to skip @returns {Promise<MatchList>} */
export const openMatches = (from) => request(`matches?from=${from}`);
/** @returns {Promise<MatchList>} */
export const playingMatches = () => request("matches?playing=true");
/** @param {CreateMatch} body @returns {Promise<SeatAssignment>} */
export const create = (body) => request("matches", body);
/** @param {string} id @returns {Promise<MatchStatus>} */
export const status = (id) => request(`matches/${id}`);
/** @param {string} id @param {JoinMatch} body @returns {Promise<SeatAssignment>} */
export const join = (id, body) => request(`matches/${id}/join`, body);
/** @param {string} id @param {number} number @param {number} from the ply of the first board @returns {Promise<GameFrames>} */
export const frames = (id, number, from) => isSolo(id) ? soloFrames(id, number, from) : request(`matches/${id}/games/${number}?from=${from}`);
/** @param {PairPlayer} body @returns {Promise<SeatAssignment>} */
export const pair = (body) => request("pair", body);
/** @param {{match: string, key: string}} body @returns {Promise<{cancelled: boolean}>} */
export const cancelPairing = (body) => request("pair/cancel", body);
/** @param {string} key @returns {Promise<PlayerProfile>} */
export const profile = (key) => request("players", { key });
/** @param {string} id @param {number} from @returns {Promise<PlayerHistory>} */
export const history = (id, from) => request(`players/${id}/games?from=${from}`);
/** @param {string} game @param {number} [number] that of the day if missing @returns {Promise<GamePuzzle>} */
export const puzzle = (game, number) => looked(game, { puzzle: { game, number, now: Date.now() } }, `puzzles/${encodeURIComponent(game)}${number ? `?number=${number}` : ""}`);
/** A position with the value of every move. @param {string} game @param {string[]} moves @param {number} ms the longest time @param {AbortSignal} [signal] @returns {Promise<PositionAnalysis>} */
export function values(game, moves, ms, signal) {
  const judge = { game, moves, values: true, ms };
  return searched(game, { judge }, "judge", judge, signal);
}
/** The times of the first, quick answer and of the one that replaces it, in milliseconds. */
const TIMES = [100, 2_000];

/** The values of a position, better and better. @param {string} game @param {string[]} moves @param {AbortSignal} signal */
export async function* improvingValues(game, moves, signal) {
  for (const ms of TIMES) {
    const analysis = await values(game, moves, ms, signal);
    yield analysis;
    if (analysis.exact) return;
  }
}

/** @param {string} game @param {string[]} moves @returns {Promise<PositionBoard>} */
export const position = (game, moves) => looked(game, { position: { game, moves } }, "position", { game, moves });
/** @param {string} game @returns {Promise<{moves: string[], wins: string[]}>} */
export const lesson = (game) => looked(game, { lesson: { game } }, `lesson?game=${encodeURIComponent(game)}`);
/** @param {string} game @param {string[]} moves @param {"first" | "second" | "draw" | undefined} result @returns {Promise<GameReview>} */
export const review = (game, moves, result) => searched(game, { review: { game, moves, result } }, "review", { game, moves, result });
