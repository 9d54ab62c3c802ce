// The pieces. Those of the two seats differ in shape or emblem as well as in colour.

import { s } from "./dom.js";
import { DISC } from "./geometry.js";

/** The CSS class of a seat's colour. @param {BoardView} board @param {SeatIndex} seat */
export const ink = (board, seat) => `ink-${board.colors[seat]}`;

/** The usual piece of a seat. @param {BoardView} board @param {SeatIndex} seat @returns {Look} */
export const usual = (board, seat) => ({ seat, mark: board.marks[seat], shape: board.shapes[seat], color: board.colors[seat], count: 1 });

/**
 * The piece on a cell, if any.
 * @param {BoardView} board
 * @param {CellView} cell
 * @returns {Look | null}
 */
export function lookOf(board, { owner, piece }) {
  const seat = owner ? /** @type {SeatIndex} */ ("ab".indexOf(owner)) : null;
  if (!piece) return seat === null ? null : usual(board, seat);
  const color = piece.color ?? (seat === null ? "gray" : board.colors[seat]);
  return { seat, mark: piece.mark, shape: piece.shape, color, count: piece.count ?? 1 };
}

/**
 * The name of a piece for screen readers: `White king`, `tall round hollow black piece`.
 * @param {BoardView} board
 * @param {Look} look
 */
export function pieceName(board, { seat, mark, shape, color, count }) {
  const words = count === 1 ? [] : [String(count)];
  if (seat !== null) words.push(board.side_names[seat]);
  if (typeof shape === "object") {
    const { tall, square, hollow } = shape.figure;
    words.push(tall ? "tall" : "short", square ? "square" : "round", hollow ? "hollow" : "solid", color, "piece");
  } else if (shape === "king") words.push("king");
  else if (shape === "text" || seat === null) words.push(mark);
  return words.join(" ");
}

/**
 * A piece in a square of 100 by 100 around the origin.
 * @param {BoardView} board
 * @param {Look} look
 * @param {Record<string, Attribute>} [attributes]
 */
export function piece(board, look, attributes = {}) {
  const parts = partsOf(board, look);
  return s("g", { ...attributes, class: `piece ink-${look.color} ${attributes.class ?? ""}` }, parts, count(look));
}

/** @param {BoardView} board @param {Look} look @returns {SVGElement[]} */
function partsOf(board, { seat, mark, shape }) {
  if (typeof shape === "object") return figure(shape.figure);
  switch (shape) {
    case "cross":
      return [s("path", { class: "stroke", d: "M-25-25L25 25M25-25L-25 25" })];
    case "ring":
      return [s("circle", { class: "stroke", r: 27 })];
    case "king":
      return [s("circle", { class: "body", r: 40 }), s("path", { class: "emblem", d: "M-24 17L-27-15L-12-2L0-23L12-2L27-15L24 17Z" })];
    case "text":
      return [s("text", { class: "mark-text", "font-size": mark.length > 1 ? 46 : 64, "aria-hidden": "true" }, mark)];
    default:
      return [s("circle", { class: "body", r: 40 }), ...(seat === null ? [] : [emblem(board, seat)])];
  }
}

/** The number of pieces, if there are several. @param {Look} look */
const count = (look) =>
  look.count === 1
    ? null
    : s("g", { class: "count", transform: "translate(30 30)", "aria-hidden": "true" }, s("circle", { r: 20 }), s("text", { "font-size": 24 }, look.count));

/**
 * The first player's discs have a ring, the second player's a star.
 * @param {BoardView} board
 * @param {SeatIndex} seat
 */
function emblem(board, seat) {
  return board.first === "ab"[seat]
    ? s("circle", { class: "emblem ring", r: 24 })
    : s("path", { class: "emblem", d: "M0-24Q3-3 24 0Q3 3 0 24Q-3 3-24 0Q-3-3 0-24Z" });
}

/** A figure, seen from the front and above. @param {{tall: boolean, square: boolean, hollow: boolean}} features */
function figure({ tall, square, hollow }) {
  const [low, high] = [30, tall ? -30 : 4];
  const side = square
    ? `M-26 ${high}V${low}L0 ${low + 12}L26 ${low}V${high}L0 ${high + 12}Z`
    : `M-26 ${high}V${low}A26 11 0 0 0 26 ${low}V${high}Z`;
  const top = square
    ? s("path", { class: "body", d: `M-26 ${high}L0 ${high - 12}L26 ${high}L0 ${high + 12}Z` })
    : s("ellipse", { class: "body", cy: high, rx: 26, ry: 11 });
  const edge = square ? [s("path", { class: "rim", d: `M0 ${high + 12}V${low + 12}` })] : [];
  const hole = hollow ? [s("ellipse", { class: "hole", cy: high, rx: 13, ry: 5.5 })] : [];
  return [s("path", { class: "side", d: side }), ...edge, top, ...hole];
}

/**
 * A piece on a pole, seen at an angle from above. Its base is at the origin.
 * @param {BoardView} board
 * @param {Look} look
 */
export function disc(board, look) {
  const { height, rx, ry } = DISC;
  const low = -2;
  const high = low - height;
  return s(
    "g",
    { class: `piece ink-${look.color}` },
    s("path", {
      class: "side",
      d: `M${-rx} ${high}V${low}A${rx} ${ry} 0 0 0 ${rx} ${low}V${high}Z`,
    }),
    s("ellipse", { class: "body", cy: high, rx, ry }),
    look.seat === null ? null : s("g", { transform: `translate(0 ${high}) scale(1 ${ry / rx})` }, emblem(board, look.seat)),
    // The pole emerges from the centre and covers the far rim.
    s("path", { class: "pole", d: `M0 ${high}V${high - ry - 2}` }),
  );
}

/** A drawn edge between two dots. @param {Look} look @param {string} d */
export const edge = (look, d) => s("g", { class: `piece ink-${look.color}` }, s("path", { class: "stroke", d }));

/**
 * A piece as an icon beside a name.
 * @param {BoardView} board
 * @param {SeatIndex} seat
 */
export function badge(board, seat) {
  return s("svg", { class: "badge", viewBox: "-50 -50 100 100", "aria-hidden": "true" }, piece(board, usual(board, seat)));
}
