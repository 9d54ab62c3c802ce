// The addresses of the pages about a game, and what they say.

/** @param {string} game @param {string[]} moves */
export function analysisPath(game, moves) {
  const path = `/analysis?game=${encodeURIComponent(game)}`;
  return moves.length ? `${path}&moves=${moves.map(encodeURIComponent).join(",")}` : path;
}

/**
 * The game and the moves of an address; null if it has none.
 * @param {string} search with the question mark
 */
export function parsePosition(search) {
  const value = (/** @type {string} */ name) => new RegExp(`[?&]${name}=([^&]*)`).exec(search)?.[1] ?? "";
  try {
    const game = decodeURIComponent(value("game"));
    // A move may contain a comma, which is then encoded.
    const moves = value("moves").split(",").filter(Boolean).map(decodeURIComponent);
    return game ? { game, moves } : null;
  } catch {
    return null;
  }
}

/** The address of a game's lesson. @param {string} game */
export const lessonPath = (game) => `/learn?game=${encodeURIComponent(game)}`;
