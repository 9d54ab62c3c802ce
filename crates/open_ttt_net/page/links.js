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

/** The pause between two addresses of a page, in milliseconds: Safari allows a hundred in 30 seconds. */
const ADDRESS_PAUSE = 350;

/** The address to show next. @type {string | null} */
let wanted = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

/** Shows an address in place of the page's: at once, or soon if another one has just been shown. @param {string} address */
export function showAddress(address) {
  wanted = address;
  if (pause === undefined) replaceAddress();
}

function replaceAddress() {
  pause = undefined;
  if (wanted === null) return;
  try {
    history.replaceState(null, "", wanted);
    wanted = null;
  } catch {
    // The browser has had too many of them: it gets this one later.
  }
  pause = setTimeout(replaceAddress, ADDRESS_PAUSE);
}

/** The address of a game's lesson. @param {string} game */
export const lessonPath = (game) => `/learn?game=${encodeURIComponent(game)}`;
