// The positions of a board's cells in the drawing: pure functions from layouts to
// numbers.

/** The distance between the cells of a flat board. */
export const CELL = 100;

/** @param {Place} place */
export const key = (place) => place.join(",");

/**
 * @param {LayoutView} layout
 * @param {Place[]} places the places of all cells
 * @returns {Geometry}
 */
export function geometryOf(layout, places) {
  if (layout.kind === "layers") return layers(layout);
  if (layout.kind === "stacks") return stacks(layout);
  const named = layout.columns?.length;
  const count = (/** @type {0 | 1} */ axis) => Math.max(...places.map((place) => place[axis])) + 1;
  const columns = named ? layout.columns : Array(count(0)).fill("");
  const rows = named ? layout.rows : Array(count(1)).fill("");
  return grid(columns, rows, layout.block ?? 0);
}

/**
 * @param {string[]} columns @param {string[]} rows @param {number} block
 * @returns {Geometry}
 */
function grid(columns, rows, block) {
  // If only the columns have labels, pieces fall.
  const falls = named(columns) && !named(rows);
  const type = 3.4 * Math.max(columns.length, rows.length) + 2;
  const left = named(rows) ? 2 * type + 8 : 12;
  const gap = (/** @type {number} */ index) => (block ? 26 * Math.floor(index / block) : 0);
  const wide = columns.length * CELL + gap(columns.length - 1);
  const high = rows.length * CELL + gap(rows.length - 1);
  const top = 12;
  const x = (/** @type {number} */ column) => left + column * CELL + gap(column) + CELL / 2;
  const y = (/** @type {number} */ row) => top + high - row * CELL - gap(row) - CELL / 2;
  const labels = [
    ...columns.map((text, column) => ({ x: x(column), y: top + high + type / 2 + 14, text })),
    ...rows.map((text, row) => ({ x: left - type - 4, y: y(row), text })),
  ];
  const blocks = [];
  for (let row = 0; block && row < rows.length; row += block) {
    for (let column = 0; column < columns.length; column += block) {
      const size = block * CELL;
      blocks.push({ x: x(column) - CELL / 2, y: y(row) + CELL / 2 - size, width: size, height: size });
    }
  }
  return {
    kind: falls ? "drop" : "grid",
    width: left + wide + 12,
    height: top + high + type + 22,
    type,
    falls,
    spot: ([column, row]) => ({
      x: x(column),
      y: y(row),
      matrix: `translate(${x(column)} ${y(row)})`,
      depth: 0,
      scale: 1,
    }),
    name: ([column, row]) =>
      falls || !named(columns)
        ? `column ${columns[column] || column + 1}, row ${row + 1}`
        : columns[column] + rows[row],
    labels,
    blocks,
  };
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
      return { ...middle, matrix: `matrix(${matrix.join(" ")})`, depth: -z, scale: 1 };
    },
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
        ...foot,
        matrix: `translate(${foot.x} ${foot.y}) scale(${round(scale)})`,
        depth: -y * 100 + z,
        scale,
      };
    },
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
