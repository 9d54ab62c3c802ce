// The pieces. Those of the two seats differ in shape as well as in colour.

import { s } from "./dom.js";
import { DISC } from "./geometry.js";

const COLOURS = new Set(["red", "yellow", "white", "black"]);

/**
 * The CSS class of a seat's colour: the colour that its side is named after, or
 * the seat's own colour.
 * @param {BoardView} board
 * @param {SeatIndex} seat
 */
export function ink(board, seat) {
  const name = board.side_names[seat].toLowerCase();
  return `ink-${COLOURS.has(name) ? name : "ab"[seat]}`;
}

/**
 * A piece in a square of 100 by 100 around the origin.
 * @param {BoardView} board
 * @param {SeatIndex} seat
 * @param {Record<string, Attribute>} [attributes]
 */
export function piece(board, seat, attributes = {}) {
  const group = s("g", { ...attributes, class: `piece ${ink(board, seat)} ${attributes.class ?? ""}` });
  const mark = board.marks[seat].toUpperCase();
  if (mark === "X") {
    group.append(s("path", { class: "stroke", d: "M-25-25L25 25M25-25L-25 25" }));
  } else if (mark === "O") {
    group.append(s("circle", { class: "stroke", r: 27 }));
  } else {
    group.append(s("circle", { class: "body", r: 40 }), emblem(board, seat));
  }
  return group;
}

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

/**
 * A piece on a pole, seen at an angle from above. Its base is at the origin.
 * @param {BoardView} board
 * @param {SeatIndex} seat
 */
export function disc(board, seat) {
  const { height, rx, ry } = DISC;
  const low = -2;
  const high = low - height;
  return s(
    "g",
    { class: `piece ${ink(board, seat)}` },
    s("path", {
      class: "side",
      d: `M${-rx} ${high}V${low}A${rx} ${ry} 0 0 0 ${rx} ${low}V${high}Z`,
    }),
    s("ellipse", { class: "body", cy: high, rx, ry }),
    s("g", { transform: `translate(0 ${high}) scale(1 ${ry / rx})` }, emblem(board, seat)),
    // The pole emerges from the centre and covers the far rim.
    s("path", { class: "pole", d: `M0 ${high}V${high - ry - 2}` }),
  );
}

/**
 * A piece as an icon beside a name.
 * @param {BoardView} board
 * @param {SeatIndex} seat
 */
export function badge(board, seat) {
  return s("svg", { class: "badge", viewBox: "-50 -50 100 100", "aria-hidden": "true" }, piece(board, seat));
}
