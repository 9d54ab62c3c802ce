// A cell of a board: its ground, the area for clicks, and what covers its piece.

import { s } from "./dom.js";
import { CELL, DISC, HALF_EDGE, HEXAGON, KNOB, key } from "./geometry.js";

/** The radius of a hole. */
const HOLE = 42;

/** The panel around a hole. It covers a piece that falls past; neighbours overlap, so that no seam is seen. */
const FRONT = `M-50.5-50.5H50.5V50.5H-50.5ZM${-HOLE} 0a${HOLE} ${HOLE} 0 1 0 ${2 * HOLE} 0a${HOLE} ${HOLE} 0 1 0 ${-2 * HOLE} 0Z`;

/** The line of an edge between two dots; null for other cells. @param {Spot["form"]} form */
export function edgePath(form) {
  const reach = HALF_EDGE - 15;
  if (form === "across") return `M${-reach} 0H${reach}`;
  return form === "upright" ? `M0 ${-reach}V${reach}` : null;
}

/**
 * The ground of a cell, and an area for clicks where that is larger.
 * @param {Spot} spot @param {Place} at @param {LayoutView} layout
 */
function groundOf({ form, scale }, at, layout) {
  const { height, rx, ry } = DISC;
  const square = (/** @type {number} */ size, /** @type {number} */ rx, kind = "ground") =>
    s("rect", { class: kind, x: -size / 2, y: -size / 2, width: size, height: size, rx });
  const edge = edgePath(form);
  if (edge) {
    const [long, wide] = [2 * HALF_EDGE - 24, 44];
    const [width, high] = form === "across" ? [long, wide] : [wide, long];
    return [s("rect", { class: "reach", x: -width / 2, y: -high / 2, width, height: high }), s("path", { class: "ground", d: edge })];
  }
  switch (form) {
    case "stack": {
      // The click area of the top cell includes the knob, that of the bottom cell the foot.
      const above = layout.kind === "stacks" && at[2] + 1 === layout.height ? KNOB.above + KNOB.radius : 0;
      const below = at[2] === 0 ? ry : 0;
      return [
        s("rect", { class: "reach", x: -rx - 4, y: -height - above, width: 2 * rx + 8, height: height + above + below }),
        s("ellipse", { class: "ground", cy: -2, rx, ry }),
      ];
    }
    case "hole":
      return [square(CELL, 0, "reach"), s("path", { class: "front", d: FRONT }), s("circle", { class: "ground", r: HOLE })];
    case "tile":
      return [square(CELL, 0)];
    case "hexagon": {
      const [half, radius] = [CELL / 2 / scale, HEXAGON / scale];
      const d = `M0 ${-radius}L${half} ${-radius / 2}V${radius / 2}L0 ${radius}L${-half} ${radius / 2}V${-radius / 2}Z`;
      return [s("path", { class: "ground", d })];
    }
    case "point":
      return [s("circle", { class: "reach", r: 56 }), s("circle", { class: "ground", r: 13 })];
    case "dot":
      return [s("circle", { class: "reach", r: 22 }), s("circle", { class: "ground", r: 12 })];
    case "box":
      return [square((2 * HALF_EDGE - 26) / scale, 8)];
    case "slot":
      return [square(CELL - 6, 20)];
    default:
      return [square(CELL - 8, 12)];
  }
}

/**
 * @param {CellView} view
 * @param {Geometry} geometry
 * @param {LayoutView} layout
 * @returns {Cell}
 */
export function makeCell({ at, label }, geometry, layout) {
  const spot = geometry.spot(at);
  const parts = groundOf(spot, at, layout);
  const element = s("g", { class: "cell", role: "button", transform: spot.matrix, "data-at": key(at), "data-form": spot.form }, parts);
  const middle = spot.form === "square" || spot.form === "slot" ? [-29, -29] : spot.form === "point" ? [26, 26] : [0, 0];
  const text = label ? s("text", { class: "cell-label", x: middle[0], y: middle[1], "font-size": 22, "aria-hidden": "true" }, label) : null;
  if (text) element.append(text);
  const ground = parts[parts.length - 1];
  const front = spot.form === "hole" ? parts[1] : null;
  const name = label || geometry.name(at);
  return { at, spot, element, ground, front, label: text, name, piece: null, open: false, pending: null };
}
