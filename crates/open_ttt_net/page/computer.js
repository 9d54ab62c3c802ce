// The levels of the computer, which have the same names everywhere, and a computer that
// follows the player's results.

import { gameKey } from "./catalog.js";
import * as storage from "./storage.js";

/** The names of the levels, the weakest first. */
export const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "master"];

/** The choice of a computer whose strength follows the player's results. */
export const ADAPTIVE = "adaptive";

/** How much stronger such a computer becomes after a loss, in levels. */
const STEP = 1 / 3;

/**
 * The catalog's spec of a computer: `easy`, `level(strength=2.33)`.
 * @param {string} level a level's name, or `adaptive`
 * @param {string} game
 */
export function computerSpec(level, game) {
  return level === ADAPTIVE ? `level(strength=${storage.adaptiveStrength(gameKey(game)).toFixed(2)})` : level;
}

/**
 * The name to display for a spec: `Computer (medium)`.
 * @param {string} spec
 */
export function computerName(spec) {
  const mistakes = Number(/mistakes=([\d.]+)/.exec(spec)?.[1] ?? 0);
  if (mistakes) return `Computer (${Math.round(mistakes * 100)}% mistakes)`;
  return `Computer (${strengthOf(spec) === undefined ? spec.split("(")[0] : ADAPTIVE})`;
}

/**
 * Lets the adaptive computer follow the result of a game against it. In the same match it
 * follows by itself, on the server; its spec stays as it was.
 * @param {string} spec that of the computer
 * @param {string} game
 * @param {number} points the player's: 1 for a win, half for a draw, 0 for a loss
 */
export function followResult(spec, game, points) {
  if (strengthOf(spec) === undefined) return;
  // On every size of board: a level means the same on all.
  const key = gameKey(game);
  const next = storage.adaptiveStrength(key) + 2 * STEP * (points - 0.5);
  storage.saveAdaptiveStrength(key, Math.min(Math.max(next, 1), LEVELS.length));
}

/** @param {string} spec */
function strengthOf(spec) {
  const strength = /^level\(strength=([\d.]+)\)$/.exec(spec)?.[1];
  return strength === undefined ? undefined : Number(strength);
}
