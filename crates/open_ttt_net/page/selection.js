// Choosing a move by its places, one after the other: pure functions.

import { key } from "./geometry.js";

/** The cells of a board and of its trays. @param {BoardView} board */
export const allCells = (board) => [...board.cells, ...(board.trays ?? []).flatMap((tray) => tray.cells)];

/**
 * All legal moves with the places that choose them.
 * @param {BoardView} board
 * @returns {ChoiceView[]}
 */
export function choicesOf(board) {
  const single = allCells(board).flatMap(({ at, move }) => (move === undefined ? [] : [{ move, path: [at] }]));
  return [...single, ...(board.choices ?? [])];
}

/**
 * What can be chosen after these places.
 * @param {ChoiceView[]} choices
 * @param {string[]} path the keys of the places chosen so far
 * @returns {PathSelection}
 */
export function selectionOf(choices, path) {
  const depth = path.length;
  const open = choices.filter((choice) => choice.path.length >= depth && path.every((place, at) => key(choice.path[at]) === place));
  const next = new Set(open.flatMap((choice) => (choice.path.length > depth ? [key(choice.path[depth])] : [])));
  const complete = open.filter((choice) => choice.path.length === depth);
  const move = depth > 0 && open.length === 1 && complete.length === 1 ? complete[0].move : null;
  return { path, open, next, buttons: complete.filter(({ label }) => label !== undefined), move };
}

/**
 * The effect of choosing a place: it continues the path, ends it, is taken back, or
 * begins another one. The places on the way to a move's last one may be left out.
 * @param {ChoiceView[]} choices
 * @param {string[]} path
 * @param {string} place
 * @returns {PathSelection | null} null if the place has no effect; its move is to be played
 */
export function choose(choices, path, place) {
  const now = selectionOf(choices, path);
  if (now.next.has(place)) return selectionOf(choices, [...path, place]);
  if (path.at(-1) === place) return selectionOf(choices, path.slice(0, -1));
  const ends = path.length ? now.open.filter((choice) => choice.path.length && key(choice.path[choice.path.length - 1]) === place) : [];
  if (ends.length === 1) return { ...now, move: ends[0].move };
  const first = selectionOf(choices, []);
  return first.next.has(place) ? selectionOf(choices, [place]) : null;
}
