// The positions of a board's cells in the drawing: pure functions from layouts to
// numbers.

/** The distance between the cells of a flat board. */
export const CELL = 100;

/** @param {Place} place */
export const key = (place) => place.join(",");

/** The radius of a hexagon of the width of a cell. */
export const HEXAGON = CELL / Math.sqrt(3);

/** The distance from a dot to the middle of an edge. */
export const HALF_EDGE = 60;

/** How much smaller than on a flat board a piece is drawn. */
const SCALE = { hexagon: 0.86, point: 0.8, box: 0.9 };

/**
 * @param {LayoutView} layout
 * @param {Place[]} places the places of all cells
 * @param {TrayView[]} [trays]
 * @param {boolean} [isTurned] whether the upper side of a flat board is at the bottom
 * @returns {Geometry}
 */
export function geometryOf(layout, places, trays = [], isTurned = false) {
  const board = withoutTrays(layout, places, isTurned);
  return trays.length ? withTrays(board, trays) : board;
}

/** @param {LayoutView} layout @param {Place[]} places @param {boolean} isTurned @returns {Geometry} */
function withoutTrays(layout, places, isTurned) {
  switch (layout.kind) {
    case "layers":
      return layers(layout);
    case "stacks":
      return stacks(layout);
    case "hexagons":
      return hexagons(layout);
    case "points":
      return points(layout, isTurned);
    case "dots":
      return dots(layout);
  }
  const named = layout.columns?.length;
  const count = (/** @type {0 | 1} */ axis) => Math.max(...places.map((place) => place[axis])) + 1;
  const columns = named ? layout.columns : Array(count(0)).fill("");
  const rows = named ? layout.rows : Array(count(1)).fill("");
  return grid(columns, rows, layout.block ?? 0, isTurned);
}

/**
 * The board with trays below it, each with its title and its cells in rows.
 * @param {Geometry} board @param {TrayView[]} trays
 * @returns {Geometry}
 */
function withTrays(board, trays) {
  const size = Math.min(CELL, (board.width - 16) / 8);
  const across = Math.floor((board.width - 16) / size);
  const labels = [...board.labels];
  /** @type {number[]} */
  const tops = [];
  let bottom = board.height;
  for (const { title, cells } of trays) {
    labels.push({ x: board.width / 2, y: bottom + board.type, text: title });
    tops.push(bottom + 2 * board.type);
    bottom += 2 * board.type + size * Math.ceil(cells.length / across) + 10;
  }
  const isInTray = (/** @type {Place} */ [, tray, z]) => z === 255 && tray < trays.length;
  return {
    ...board,
    height: bottom,
    labels,
    spot: (place) => {
      if (!isInTray(place)) return board.spot(place);
      const [index, tray] = place;
      const [column, row] = [index % across, Math.floor(index / across)];
      const inRow = Math.min(across, trays[tray].cells.length - row * across);
      const x = round(board.width / 2 + (column + 0.5 - inRow / 2) * size);
      const y = round(tops[tray] + (row + 0.5) * size);
      return spot("slot", x, y, round(size / CELL));
    },
    shortName: (place) => (isInTray(place) ? String(place[0] + 1) : board.shortName(place)),
    name: (place) => (isInTray(place) ? `${trays[place[1]].title} ${place[0] + 1}` : board.name(place)),
  };
}

/**
 * A place on the plane of the drawing.
 * @param {Spot["form"]} form @param {number} x @param {number} y @param {number} [scale]
 * @returns {Spot}
 */
const spot = (form, x, y, scale = 1) => ({ form, x, y, matrix: `translate(${x} ${y}) scale(${scale})`, depth: 0, scale });

/**
 * A rhombus of hexagons with upright edges, each row shifted to the left.
 * @param {HexagonsLayout} layout
 * @returns {Geometry}
 */
function hexagons({ columns, rows }) {
  const type = 2.6 * Math.max(columns.length, rows.length) + 16;
  const left = 2 * type + CELL / 2 + 12;
  const top = HEXAGON + 18;
  const down = 1.5 * HEXAGON;
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const above = rows.length - 1 - y;
    return { x: round(left + x * CELL + (above * CELL) / 2), y: round(top + above * down) };
  };
  const last = at(columns.length - 1, 0);
  return {
    kind: "hexagons",
    width: last.x + CELL / 2 + 18,
    height: last.y + HEXAGON + 1.6 * type + 14,
    type,
    falls: false,
    spot: ([x, y]) => spot("hexagon", at(x, y).x, at(x, y).y, SCALE.hexagon),
    name: ([x, y]) => columns[x] + rows[y],
    shortName: ([x, y]) => columns[x] + rows[y],
    labels: [
      // The columns slant to the right.
      ...columns.map((text, x) => ({ x: at(x, 0).x + CELL / 4 + 4, y: at(x, 0).y + HEXAGON + 0.8 * type, text })),
      ...rows.map((text, y) => ({ x: at(0, y).x - CELL / 2 - type - 2, y: at(0, y).y, text })),
    ],
    blocks: [],
  };
}

/**
 * Points on a plane.
 * @param {PointsLayout} layout @param {boolean} isTurned
 * @returns {Geometry}
 */
function points({ columns, rows }, isTurned) {
  const type = 3 * Math.max(columns.length, rows.length) + 6;
  const [left, top] = [2 * type + 56, 56];
  const [right, bottom] = [left + (columns.length - 1) * CELL, top + (rows.length - 1) * CELL];
  const x = (/** @type {number} */ column) => round(isTurned ? right - column * CELL : left + column * CELL);
  const y = (/** @type {number} */ row) => round(isTurned ? top + row * CELL : bottom - row * CELL);
  return {
    kind: "points",
    width: right + 56,
    height: bottom + 60 + 1.5 * type,
    type,
    falls: false,
    turns: true,
    spot: ([column, row]) => spot("point", x(column), y(row), SCALE.point),
    name: ([column, row]) => columns[column] + rows[row],
    shortName: ([column, row]) => columns[column] + rows[row],
    labels: [
      ...columns.map((text, column) => ({ x: x(column), y: bottom + 52 + type / 2, text })),
      ...rows.map((text, row) => ({ x: type + 4, y: y(row), text })),
    ],
    blocks: [],
  };
}

/**
 * Dots, edges between them, and boxes.
 * @param {DotsLayout} layout
 * @returns {Geometry}
 */
function dots({ columns, rows }) {
  const type = 1.7 * Math.max(columns.length, rows.length) + 12;
  const [left, top] = [2 * type + 30, 26];
  const x = (/** @type {number} */ column) => left + column * HALF_EDGE;
  const y = (/** @type {number} */ row) => top + (rows.length - 1 - row) * HALF_EDGE;
  // A column or row of boxes without a label is between two of dots.
  const name = (/** @type {string[]} */ labels, /** @type {number} */ index, /** @type {number} */ step) =>
    labels[index] || labels[index + step] || "";
  return {
    kind: "dots",
    width: x(columns.length - 1) + 26,
    height: y(0) + 30 + 1.5 * type,
    type,
    falls: false,
    spot: ([column, row]) => {
      const [across, upright] = [column % 2 === 1, row % 2 === 1];
      if (across && upright) return spot("box", x(column), y(row), SCALE.box);
      const form = across ? "across" : upright ? "upright" : "dot";
      return spot(form, x(column), y(row));
    },
    shortName: ([column, row]) => columns[column] + rows[row],
    name: ([column, row]) => {
      const [from, to] = [-1, 1].map((step) => name(columns, column, step) + name(rows, row, step));
      if (from === to) return column % 2 || row % 2 ? from : `dot ${from}`;
      return `${column % 2 && row % 2 ? "box" : "edge"} ${from} to ${to}`;
    },
    labels: [
      ...columns.map((text, column) => ({ x: x(column), y: y(0) + 26 + type / 2, text })),
      ...rows.map((text, row) => ({ x: type + 2, y: y(row), text })),
    ],
    blocks: [],
  };
}

/**
 * @param {string[]} columns @param {string[]} rows @param {number} block @param {boolean} isTurned
 * @returns {Geometry}
 */
function grid(columns, rows, block, isTurned) {
  // If only the columns have labels, pieces fall.
  const falls = named(columns) && !named(rows);
  const turn = isTurned && !falls;
  const type = 3.4 * Math.max(columns.length, rows.length) + 2;
  const left = named(rows) ? 2 * type + 8 : 12;
  const gap = (/** @type {number} */ index) => (block ? 26 * Math.floor(index / block) : 0);
  const wide = columns.length * CELL + gap(columns.length - 1);
  const high = rows.length * CELL + gap(rows.length - 1);
  const top = 12;
  const middle = (/** @type {number} */ index) => index * CELL + gap(index) + CELL / 2;
  const x = (/** @type {number} */ column) => round(turn ? left + wide - middle(column) : left + middle(column));
  const y = (/** @type {number} */ row) => round(turn ? top + middle(row) : top + high - middle(row));
  const labels = [
    ...columns.map((text, column) => ({ x: x(column), y: top + high + type / 2 + 14, text })),
    ...rows.map((text, row) => ({ x: left - type - 4, y: y(row), text })),
  ];
  const blocks = [];
  for (let row = 0; block && row < rows.length; row += block) {
    for (let column = 0; column < columns.length; column += block) {
      const size = block * CELL;
      const name = blockName(column / block, row / block, columns.length / block, rows.length / block);
      const [right, above] = [column + block - 1, row + block - 1];
      blocks.push({ x: round(Math.min(x(column), x(right)) - CELL / 2), y: round(Math.min(y(row), y(above)) - CELL / 2), size, name });
    }
  }
  return {
    kind: falls ? "drop" : "grid",
    width: left + wide + 12,
    height: top + high + type + 22,
    type,
    falls,
    turns: !falls,
    // A piece falls behind the cells above its own, which are painted later.
    spot: ([column, row]) => ({ ...spot(falls ? "hole" : "square", x(column), y(row)), depth: falls ? row : 0 }),
    shortName: ([column, row]) => (columns[column] || column + 1) + (rows[row] || `${named(columns) ? "/" : ""}${row + 1}`),
    name: ([column, row]) =>
      falls || !named(columns)
        ? `column ${columns[column] || column + 1}, row ${row + 1}`
        : columns[column] + rows[row],
    labels,
    blocks,
  };
}

/** The name of a block: `top left`. @param {number} column @param {number} row @param {number} across @param {number} high */
function blockName(column, row, across, high) {
  if (across !== 3 || high !== 3) return `column ${column + 1}, row ${row + 1}`;
  if (column === 1 && row === 1) return "middle";
  return `${["bottom", "middle", "top"][row]} ${["left", "centre", "right"][column]}`;
}

/** Whether any label is not empty. @param {string[]} texts */
const named = (texts) => texts.some((text) => text !== "");

/**
 * Flat boards on top of each other, each tilted to the back.
 * @param {LayersLayout} layout
 * @returns {Geometry}
 */
function layers({ layers, columns, rows }) {
  const [right, shear, back] = [74, 30, 36];
  const between = rows.length * back + 34;
  const left = 48;
  const top = 16;
  const floor = (/** @type {number} */ z) => top + (layers.length - z) * between - 34;
  const at = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => ({
    x: round(left + x * right + y * shear),
    y: round(floor(z) - y * back),
  });
  const labels = [];
  for (let z = 0; z < layers.length; z++) {
    const corner = at(columns.length, 0, z);
    labels.push({ x: corner.x + 56, y: corner.y - 8, text: layers[z] });
    rows.forEach((text, y) => {
      const side = at(0, y + 0.5, z);
      labels.push({ x: side.x - 28, y: side.y, text });
    });
  }
  columns.forEach((text, x) => {
    const front = at(x + 0.5, 0, 0);
    labels.push({ x: front.x - 4, y: front.y + 20, text });
  });
  return {
    kind: "layers",
    width: left + columns.length * right + rows.length * shear + 24,
    height: floor(0) + 40,
    type: 16,
    falls: false,
    spot: ([x, y, z]) => {
      const middle = at(x + 0.5, y + 0.5, z);
      const matrix = [right / CELL, 0, -shear / CELL, back / CELL, middle.x, middle.y];
      return { form: "tile", ...middle, matrix: `matrix(${matrix.join(" ")})`, depth: -z, scale: 1 };
    },
    shortName: ([x, y, z]) => `${z + 1}${columns[x]}${rows[y]}`,
    name: ([x, y, z]) => `${layers[z].toLowerCase()}, ${columns[x]}${rows[y]}`,
    labels,
    blocks: [],
  };
}

/** The height of a piece on a pole, and the radii of its upper face. */
export const DISC = { height: 27, rx: 44, ry: 17 };

/** The knob on a pole, and the height of its centre above the highest piece. */
export const KNOB = { radius: 13, above: 33 };

/**
 * Poles on a table, in perspective.
 * @param {StacksLayout} layout
 * @returns {Geometry}
 */
function stacks({ stacks, height }) {
  const [right, back, nearer] = [64, 86, 0.09];
  const wide = Math.max(...stacks.map((stack) => stack.x));
  const deep = Math.max(...stacks.map((stack) => stack.y));
  const middle = (wide * right) / 2 + 84;
  const top = (height * DISC.height + KNOB.above + KNOB.radius) * (1 - nearer * deep) + 4;
  const depth = (/** @type {number} */ y) => back * y * (1 - (nearer * y) / 2);
  const ground = top + depth(deep);
  const shrink = (/** @type {number} */ y) => 1 - nearer * y;
  const at = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => ({
    x: round(middle + (x - wide / 2) * right * shrink(y)),
    y: round(ground - depth(y) - z * DISC.height * shrink(y)),
  });
  const label = new Map(stacks.map((stack) => [`${stack.x},${stack.y}`, stack.label]));
  return {
    kind: "stacks",
    width: 2 * middle,
    height: ground + 58,
    type: 15,
    falls: true,
    spot: ([x, y, z]) => {
      const scale = shrink(y);
      const foot = at(x, y, z);
      return {
        form: "stack",
        ...foot,
        matrix: `translate(${foot.x} ${foot.y}) scale(${round(scale)})`,
        depth: -y * 100 + z,
        scale,
      };
    },
    shortName: ([x, y, z]) => `${label.get(`${x},${y}`)}${z + 1}`,
    name: ([x, y, z]) => `peg ${label.get(`${x},${y}`)}, height ${z + 1}`,
    // The labels are on the poles, where no stack hides them.
    labels: [],
    blocks: [],
  };
}

const round = (/** @type {number} */ n) => Math.round(n * 100) / 100;

const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * The spot that an arrow key leads to: the nearest in its direction, with double
 * weight for the distance sideways.
 * @template {{x: number, y: number}} S
 * @param {{x: number, y: number}} from
 * @param {S[]} spots
 * @param {string} arrow the name of the key
 * @returns {S | null} null if there is none or the key is not an arrow
 */
export function next(from, spots, arrow) {
  const direction = ARROWS[/** @type {keyof typeof ARROWS} */ (arrow)];
  if (!direction) return null;
  const [dx, dy] = direction;
  let best = null;
  let least = Infinity;
  for (const spot of spots) {
    const ahead = (spot.x - from.x) * dx + (spot.y - from.y) * dy;
    const aside = Math.abs((spot.x - from.x) * dy) + Math.abs((spot.y - from.y) * dx);
    const far = ahead + 2 * aside;
    if (ahead > 1 && far < least) [best, least] = [spot, far];
  }
  return best;
}
