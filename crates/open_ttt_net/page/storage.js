// The data kept in the browser: the player's name, key, choice of sound and streak of puzzles, the seats, and for
// each tab its proposals and the opponent it waits for. The page works without storage, too: then it has
// them until it is left.

const NAME = "open_ttt.name";
const KEY = "open_ttt.key";
const MUTED = "open_ttt.muted";
const STREAK = "open_ttt.puzzle_streak";
const PAIRING = "open_ttt.pairing";
const SEATS = "open_ttt.seats";
const ADAPTIVE = "open_ttt.adaptive";
const CLIENT = "open_ttt.client.";
const MAX_SEATS = 60;

// Merely naming a storage throws an error where the browser forbids it, so only `read` and `save` do.
const lasting = () => localStorage;
const ofTab = () => sessionStorage;

/**
 * @template T
 * @param {() => Storage} storage @param {string} key
 * @returns {T | null}
 */
function read(storage, key) {
  try {
    return JSON.parse(storage().getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {() => Storage} storage @param {string} key @param {unknown} value null removes it @returns {boolean} whether it is kept: storage may be full or forbidden */
function save(storage, key, value) {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** What not even the tab's storage takes: this page has it until it is left. @type {Map<string, unknown>} */
const unsaved = new Map();

/** @param {string} key @returns {any} */
const readOfTab = (key) => (unsaved.has(key) ? unsaved.get(key) : read(ofTab, key));

/** @param {string} key @param {unknown} value @returns {boolean} whether the tab's next page has it, too */
function saveOfTab(key, value) {
  const isSaved = save(ofTab, key, value);
  if (isSaved) unsaved.delete(key);
  else unsaved.set(key, value);
  return isSaved;
}

/** @param {string} key @returns {any} */
const readLasting = (key) => readOfTab(key) ?? read(lasting, key);

/** Keeps a value in the browser, or in the tab if the browser has no room for it. @param {string} key @param {unknown} value */
function saveLasting(key, value) {
  saveOfTab(key, save(lasting, key, value) ? null : value);
}

/** The player's name; empty if none was entered. */
export const playerName = () => String(readLasting(NAME) ?? "");

/** @param {string} name */
export const savePlayerName = (name) => saveLasting(NAME, name);

/** Whether the sounds are muted. */
export const isMuted = () => readLasting(MUTED) === true;

/** @param {boolean} muted */
export const saveMuted = (muted) => saveLasting(MUTED, muted);

/** The strength, in levels from 1, of the computer that follows the player's results in a game. @param {string} game */
export function adaptiveStrength(game) {
  const strength = readLasting(ADAPTIVE)?.[game];
  // At first that of an easy computer.
  return typeof strength === "number" ? strength : 2;
}

/** @param {string} game @param {number} strength */
export function saveAdaptiveStrength(game, strength) {
  saveLasting(ADAPTIVE, { ...Object(readLasting(ADAPTIVE)), [game]: strength });
}

/** How many puzzles in a row were solved at the first try. */
export function puzzleStreak() {
  const streak = readLasting(STREAK);
  return typeof streak === "number" && streak > 0 ? Math.floor(streak) : 0;
}

/** @param {number} streak */
export const savePuzzleStreak = (streak) => saveLasting(STREAK, streak);

/** The player's key, if there is one. */
export function playerKey() {
  const key = readLasting(KEY);
  return typeof key === "string" ? key : undefined;
}

/** @param {string} key */
export const savePlayerKey = (key) => saveLasting(KEY, key);

export const removePlayerKey = () => saveLasting(KEY, null);

/** The match in which this tab's player waits for an opponent. @returns {SavedPairing | null} */
export const pairing = () => readOfTab(PAIRING);

/** @param {SavedPairing | null} saved */
export const savePairing = (saved) => saveOfTab(PAIRING, saved);

/** @param {unknown} saved @returns {SavedSeat[]} */
const valid = (saved) => (Array.isArray(saved) ? saved.filter((seat) => seat?.id && seat.token) : []);

/** The seats that only this tab has, because the browser had no room for them. */
const seatsOfTab = () => valid(readOfTab(SEATS));

/** The player's seats, the latest first. @returns {SavedSeat[]} */
export function seats() {
  const own = seatsOfTab();
  return [...own, ...valid(read(lasting, SEATS)).filter(({ id }) => !own.some((seat) => seat.id === id))];
}

/** @param {string} id @returns {string | undefined} */
export const token = (id) => seats().find((seat) => seat.id === id)?.token;

/** @param {string} id @param {string} token @param {string} [game] @param {SeatName | null} [seat] @returns {boolean} whether the tab's next page has it, too */
export function saveSeat(id, token, game, seat) {
  const others = (/** @type {SavedSeat[]} */ seats) => seats.filter((seat) => seat.id !== id);
  const saved = { id, token, game, seat, at: Date.now() };
  const isSaved = save(lasting, SEATS, [saved, ...others(seats())].slice(0, MAX_SEATS));
  return saveOfTab(SEATS, isSaved ? null : [saved, ...others(seatsOfTab())]) || isSaved;
}

/**
 * Keeps a seat that the server has given to the player.
 * @param {SeatAssignment} assigned @param {string} game
 * @returns {string} the address at which the player has the seat: with the token if it can't be kept
 */
export function keepSeat({ match, token, seat, path }, game) {
  return !token || saveSeat(match, token, game, seat) ? path : `${path}#${token}`;
}

/** @param {string} id */
export function removeSeat(id) {
  const without = (/** @type {SavedSeat[]} */ seats) => seats.filter((seat) => seat.id !== id);
  save(lasting, SEATS, without(valid(read(lasting, SEATS))));
  if (seatsOfTab().length) saveOfTab(SEATS, without(seatsOfTab()));
}

/**
 * The state of this tab's replica of a match. It is not shared between tabs: two
 * tabs with one client id would mistake each other's proposals for their own.
 * @param {string} id
 * @returns {SavedReplica}
 */
export function replica(id) {
  const saved = /** @type {SavedReplica | null} */ (readOfTab(CLIENT + id));
  if (saved?.client) return saved;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return { client: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** @param {string} id @param {SavedReplica} saved */
export const saveReplica = (id, saved) => saveOfTab(CLIENT + id, saved);
