// The games of the server's catalog, loaded once, and the names that tell them apart.

import * as api from "./api.js";

/** @type {Promise<GameInfo[]> | undefined} */
let loaded;

/** All games. A failure is not kept. @returns {Promise<GameInfo[]>} */
export function games() {
  loaded ??= api.games().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** The key of a game in the catalog: that of `k(m=5)` is `k`. @param {string} name */
export const gameKey = (name) => name.split("(")[0];

/** A game of the catalog by name, with or without parameters. @param {GameInfo[]} games @param {string} name */
export const gameOf = (games, name) => games.find(({ game }) => gameKey(game) === gameKey(name));

/**
 * Whether the board is turned for a player: the pieces that they begin with are above the other's.
 * @param {GameInfo | undefined} info @param {boolean} isFirst whether the player moves first
 */
export function isTurnedFor(info, isFirst) {
  if (!info) return false;
  const { cells, first } = info.board;
  const rows = (/** @type {boolean} */ ofFirst) => cells.filter(({ owner }) => owner && (owner === first) === ofFirst).map(({ at }) => at[1]);
  const [own, other] = [rows(isFirst), rows(!isFirst)];
  return own.length > 0 && other.length > 0 && Math.min(...own) > Math.max(...other);
}
