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
