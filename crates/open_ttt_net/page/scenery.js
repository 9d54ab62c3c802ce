// The parts of a board besides its cells: panel, layers, table and poles.

import { s } from "./dom.js";
import { CELL, DISC, HEXAGON, KNOB } from "./geometry.js";

/** The width of a panel's rim. */
const RIM = 12;

/**
 * The elements below all cells, those painted between cells by depth, and those above.
 * @param {Geometry} geometry
 * @param {BoardView} board
 * @returns {{under: Element[], between: {depth: number, element: Element}[], over: Element[]}}
 */
export function scenery(geometry, board) {
  const { layout } = board;
  const plain = { between: [], over: [] };
  switch (layout.kind) {
    case "layers":
      return { under: [threads(geometry, layout)], between: planes(geometry, layout), over: [] };
    case "stacks":
      return { under: [table(geometry, layout)], between: poles(geometry, layout), over: [] };
    case "hexagons":
      return { ...plain, under: borders(geometry, board, layout) };
    case "points":
      return { ...plain, under: [links(geometry, layout)] };
    case "dots":
      return { ...plain, under: [dots(geometry, layout)] };
    default:
      return geometry.falls ? panel(geometry, layout) : { ...plain, under: [] };
  }
}

/**
 * The panel that pieces fall into: its back, which is seen through the holes, and its
 * rim. The cells are the front.
 * @param {Geometry} geometry @param {GridLayout} layout
 */
function panel(geometry, { columns, rows }) {
  const first = geometry.spot([0, 0, 0]);
  const last = geometry.spot([columns.length - 1, rows.length - 1, 0]);
  const [x, y, width, height] = [first.x - CELL / 2, last.y - CELL / 2, last.x - first.x + CELL, first.y - last.y + CELL];
  const back = s("rect", { class: "panel-back", x, y, width, height });
  const rim = s("rect", { class: "panel-rim", x: x - RIM / 2, y: y - RIM / 2, width: width + RIM, height: height + RIM, rx: 14, "stroke-width": RIM + 1 });
  return { under: [back], between: [], over: [rim] };
}

/** The edges of a rhombus in the colours of their owners. @param {Geometry} geometry @param {BoardView} board @param {HexagonsLayout} layout */
function borders(geometry, board, { columns, rows, bottom_and_top }) {
  if (!bottom_and_top) return [];
  const [right, top] = [columns.length - 1, rows.length - 1];
  const [half, quarter] = [CELL / 2, HEXAGON / 2];
  // The corners of a hexagon, clockwise from the top.
  const corners = [[0, -HEXAGON], [half, -quarter], [half, quarter], [0, HEXAGON], [-half, quarter], [-half, -quarter]];
  const along = (/** @type {Place[]} */ places, /** @type {number[]} */ ends) =>
    places.flatMap((place) => {
      const { x, y } = geometry.spot(place);
      return ends.map((corner) => `${x + corners[corner][0]} ${y + corners[corner][1]}`);
    });
  const row = (/** @type {number} */ y) => columns.map((_, x) => /** @type {Place} */ ([x, y, 0]));
  const column = (/** @type {number} */ x) => rows.map((_, y) => /** @type {Place} */ ([x, y, 0]));
  const seat = bottom_and_top === "a" ? 0 : 1;
  const border = (/** @type {number} */ owner, /** @type {string[]} */ points) =>
    s("path", { class: `border ink-${board.colors[owner]}`, d: `M${points.join("L")}` });
  return [
    border(1 - seat, along(column(0).reverse(), [5, 4])),
    border(1 - seat, along(column(right).reverse(), [1, 2])),
    border(seat, along(row(top), [5, 0, 1])),
    border(seat, along(row(0), [4, 3, 2])),
  ];
}

/** The lines between points. @param {Geometry} geometry @param {PointsLayout} layout */
function links(geometry, { links }) {
  const ends = links.map((link) => link.map((place) => geometry.spot(place)));
  return s("path", { class: "links", d: ends.map(([from, to]) => `M${from.x} ${from.y}L${to.x} ${to.y}`).join("") });
}

/** The dots between which edges are drawn. @param {Geometry} geometry @param {DotsLayout} layout */
function dots(geometry, { columns, rows }) {
  const circles = [];
  for (let x = 0; x < columns.length; x += 2) {
    for (let y = 0; y < rows.length; y += 2) {
      const { x: cx, y: cy } = geometry.spot([x, y, 0]);
      circles.push(s("circle", { class: "dot", cx, cy, r: 9 }));
    }
  }
  return s("g", {}, circles);
}

/**
 * The corners of a layer, counterclockwise from the front left.
 * @param {Geometry} geometry @param {LayersLayout} layout @param {number} z
 */
function corners(geometry, { columns, rows }, z) {
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

/** The layers, drawn as glass plates. @param {Geometry} geometry @param {LayersLayout} layout */
function planes(geometry, layout) {
  return layout.layers.map((_, z) => {
    const points = corners(geometry, layout, z);
    const [a, b] = points;
    const edge = `M${a}L${b}l0 7L${a[0]} ${a[1] + 7}Z`;
    return {
      depth: -z,
      element: s("g", { class: "plane" }, s("path", { class: "edge", d: edge }), s("path", { class: "face", d: `M${points.join("L")}Z` })),
    };
  });
}

/** Lines between the corners of the layers. @param {Geometry} geometry @param {LayersLayout} layout */
function threads(geometry, layout) {
  const low = corners(geometry, layout, 0);
  const high = corners(geometry, layout, layout.layers.length - 1);
  return s("path", { class: "threads", d: low.map((point, index) => `M${point}L${high[index]}`).join("") });
}

/** The table below the poles, in perspective. @param {Geometry} geometry @param {StacksLayout} layout */
function table(geometry, { stacks }) {
  const xs = stacks.map((stack) => stack.x);
  const ys = stacks.map((stack) => stack.y);
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

/** The poles with their labels. @param {Geometry} geometry @param {StacksLayout} layout */
function poles(geometry, { stacks, height }) {
  return stacks.map(({ x, y, label }) => {
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
