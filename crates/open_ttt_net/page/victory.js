// The result of a game, drawn: the winner's piece in a wreath, or both pieces of a draw.

import { s } from "./dom.js";
import { ink, piece, usual } from "./piece.js";
import { opponent, seatIndex } from "./seat.js";

/** The number of leaves on each side of the wreath. */
const LEAVES = 7;
/** The number of rays around the piece of a player who has won. */
const RAYS = 16;

/**
 * The drawing of a result.
 * @param {BoardView} board
 * @param {SeatName | null} winner null for a draw
 * @param {SeatIndex | null} own the seat of the reader; rays are for the winner's own eyes
 */
export function victory(board, winner, own) {
  const frame = (/** @type {string} */ look, /** @type {Element[]} */ ...parts) =>
    s("svg", { class: `victory ${look}`, viewBox: "-110 -100 220 200", "aria-hidden": "true" }, parts);
  if (winner === null) {
    const [left, right] = [/** @type {SeatIndex} */ (0), opponent(0)].map((seat) => piece(board, usual(board, seat)));
    return frame("drawn", s("g", { transform: "translate(-48 0)" }, left), s("g", { transform: "translate(48 0)" }, right));
  }
  const seat = seatIndex(winner);
  const parts = [wreath(), s("g", { class: "champion" }, piece(board, usual(board, seat), { transform: "scale(1.15)" }))];
  return frame(ink(board, seat), ...(seat === own ? [rays(), ...parts] : parts));
}

/** Two branches from the bottom, with pairs of leaves. */
function wreath() {
  const branches = [-1, 1].map((side) => {
    const leaves = Array.from({ length: LEAVES }, (_, at) => {
      const angle = 82 - at * 21;
      const turn = s("path", { d: "M0 0Q9-13 0-27Q-9-13 0 0Z", transform: `rotate(${angle}) translate(72 0) rotate(${at % 2 ? -38 : 24})` });
      turn.style.setProperty("--at", String(at));
      return turn;
    });
    return s("g", { transform: `scale(${side} 1)` }, s("path", { class: "stem", d: "M4 72A72 72 0 0 0 58-43", pathLength: 1 }), leaves);
  });
  return s("g", { class: "wreath" }, branches);
}

function rays() {
  const lines = Array.from({ length: RAYS }, (_, at) => s("path", { d: "M0-84V-98", transform: `rotate(${(at * 360) / RAYS})`, pathLength: 1 }));
  return s("g", { class: "rays" }, lines);
}
