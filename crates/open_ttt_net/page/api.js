// The requests to the server.

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
 * @returns {Promise<T>}
 */
async function request(path, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let response, content;
  try {
    response = await fetch(`/api/v1/${path}`, options);
    content = await response.json();
  } catch {
    if (response) throw new RequestError("not_json", `Something went wrong (error ${response.status}).`);
    throw new RequestError("offline", "Can't reach the server.");
  }
  if (response.ok) return content;
  const { code = "unknown", text = `Something went wrong (error ${response.status}).` } = content?.error ?? {};
  throw new RequestError(code, text);
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
export const frames = (id, number, from) => request(`matches/${id}/games/${number}?from=${from}`);
/** @param {PairPlayer} body @returns {Promise<SeatAssignment>} */
export const pair = (body) => request("pair", body);
/** @param {{match: string, key: string}} body @returns {Promise<{cancelled: boolean}>} */
export const cancelPairing = (body) => request("pair/cancel", body);
/** @param {string} key @returns {Promise<PlayerProfile>} */
export const profile = (key) => request("players", { key });
/** @param {string} id @param {number} from @returns {Promise<PlayerHistory>} */
export const history = (id, from) => request(`players/${id}/games?from=${from}`);
/** @param {string} game @param {number} [number] that of the day if missing @returns {Promise<GamePuzzle>} */
export const puzzle = (game, number) => request(`puzzles/${encodeURIComponent(game)}${number ? `?number=${number}` : ""}`);
/** A position with the value of every move. @param {string} game @param {string[]} moves @param {number} ms the longest time @returns {Promise<PositionAnalysis>} */
export const values = (game, moves, ms) => request("judge", { game, moves, values: true, ms });
/** The times of the first, quick answer and of the one that replaces it, in milliseconds. */
const TIMES = [100, 2_000];

/** The values of a position, better and better. @param {string} game @param {string[]} moves */
export async function* improvingValues(game, moves) {
  for (const ms of TIMES) {
    const analysis = await values(game, moves, ms);
    yield analysis;
    if (analysis.exact) return;
  }
}

/** @param {string} game @param {string[]} moves @returns {Promise<PositionBoard>} */
export const position = (game, moves) => request("position", { game, moves });
/** @param {string} game @returns {Promise<{moves: string[], wins: string[]}>} */
export const lesson = (game) => request(`lesson?game=${encodeURIComponent(game)}`);
/** @param {string} game @param {string[]} moves @param {"first" | "second" | "draw" | undefined} result @returns {Promise<GameReview>} */
export const review = (game, moves, result) => request("review", { game, moves, result });
