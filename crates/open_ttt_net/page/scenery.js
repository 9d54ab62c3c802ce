// What a board is made of besides its cells: panels, tables, poles.

import { s } from "./dom.js";
import { DISC, KNOB } from "./geometry.js";

/**
 * @param {import("./geometry.js").Geometry} geometry
 * @param {any} layout a `LayoutView`
 * @returns {{under: Element[], behind: {depth: number, element: Element}[]}} what
 *   lies under all cells, and what stands among them
 */
export function scenery(geometry, layout) {
  switch (geometry.kind) {
    case "grid":
      return { under: [], behind: [] };
    case "drop":
      return { under: [panel(geometry, layout)], behind: [] };
    case "layers":
      return { under: [corners(geometry, layout)], behind: planes(geometry, layout) };
    default:
      return { under: [table(geometry, layout)], behind: poles(geometry, layout) };
  }
}

/** The upright panel that pieces fall into. */
function panel(/** @type {any} */ geometry, /** @type {any} */ { columns, rows }) {
  const first = geometry.spot([0, 0, 0]);
  const last = geometry.spot([columns.length - 1, rows.length - 1, 0]);
  return s("rect", {
    class: "panel-board",
    x: first.x - 56,
    y: last.y - 56,
    width: last.x - first.x + 112,
    height: first.y - last.y + 112,
    rx: 34,
  });
}

/** The four corners of a layer, from the front left around. */
function corner(/** @type {any} */ geometry, /** @type {any} */ { columns, rows }, /** @type {number} */ z) {
  const places = [[0, 0], [columns.length - 1, 0], [columns.length - 1, rows.length - 1], [0, rows.length - 1]];
  const [right, back] = [geometry.spot([1, 0, z]), geometry.spot([0, 1, z])];
  const start = geometry.spot([0, 0, z]);
  const step = [(right.x - start.x) / 2, (back.x - start.x) / 2, (back.y - start.y) / 2];
  const out = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  return places.map(([x, y], index) => {
    const spot = geometry.spot([x, y, z]);
    const [dx, dy] = out[index];
    return [spot.x + dx * step[0] * 1.07 + dy * step[1] * 1.07, spot.y + dy * step[2] * 1.07];
  });
}

/** The layers of a board, thin as glass. */
function planes(/** @type {any} */ geometry, /** @type {any} */ layout) {
  return layout.layers.map((/** @type {string} */ _, /** @type {number} */ z) => {
    const points = corner(geometry, layout, z);
    const [a, b] = points;
    const edge = `M${a}L${b}l0 7L${a[0]} ${a[1] + 7}Z`;
    return {
      depth: -z,
      element: s("g", { class: "plane" }, s("path", { class: "edge", d: edge }), s("path", { class: "face", d: `M${points.join("L")}Z` })),
    };
  });
}

/** Threads from layer to layer, by which one sees what lies above what. */
function corners(/** @type {any} */ geometry, /** @type {any} */ layout) {
  const low = corner(geometry, layout, 0);
  const high = corner(geometry, layout, layout.layers.length - 1);
  return s("path", { class: "threads", d: low.map((point, index) => `M${point}L${high[index]}`).join("") });
}

/** The board that poles stand on, wider in front. */
function table(/** @type {any} */ geometry, /** @type {any} */ { stacks }) {
  const xs = stacks.map((/** @type {any} */ stack) => stack.x);
  const ys = stacks.map((/** @type {any} */ stack) => stack.y);
  const [wide, deep] = [Math.max(...xs), Math.max(...ys)];
  const near = [geometry.spot([0, 0, 0]), geometry.spot([wide, 0, 0])];
  const far = [geometry.spot([0, deep, 0]), geometry.spot([wide, deep, 0])];
  const [front, back] = [72, 58];
  const y = near[0].y + 34;
  const top = far[0].y - 34;
  const face = `M${near[0].x - front} ${y}L${far[0].x - back} ${top}L${far[1].x + back} ${top}L${near[1].x + front} ${y}Z`;
  const edge = `M${near[0].x - front} ${y}v16H${near[1].x + front}v-16Z`;
  return s("g", { class: "table-top" }, s("path", { class: "edge", d: edge }), s("path", { class: "face", d: face }));
}

/** The poles, each with its foot, and its name on a knob. */
function poles(/** @type {any} */ geometry, /** @type {any} */ { stacks, height }) {
  return stacks.map((/** @type {any} */ { x, y, label }) => {
    const spot = geometry.spot([x, y, 0]);
    const high = -height * DISC.height - KNOB.above;
    return {
      depth: spot.depth,
      element: s(
        "g",
        { transform: spot.matrix },
        s("ellipse", { class: "foot", cy: -2, rx: DISC.rx + 5, ry: DISC.ry + 3 }),
        s("path", { class: "pole", d: `M0-2V${high}` }),
        s("circle", { class: "knob", cy: high, r: KNOB.radius }),
        s("text", { class: "knob-text", y: high, "font-size": 16, "aria-hidden": "true" }, label),
      ),
    };
  });
}
