// The data kept in the browser: the player's name, key, choice of sound and streak of puzzles, the seats, and for
// each tab its proposals and the opponent it waits for. The page works without storage, too.

const NAME = "open_ttt.name";
const KEY = "open_ttt.key";
const MUTED = "open_ttt.muted";
const STREAK = "open_ttt.puzzle_streak";
const PAIRING = "open_ttt.pairing";
const SEATS = "open_ttt.seats";
const ADAPTIVE = "open_ttt.adaptive";
const CLIENT = "open_ttt.client.";
const MAX_SEATS = 60;

/**
 * @template T
 * @param {Storage} storage @param {string} key
 * @returns {T | null}
 */
function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Storage} storage @param {string} key @param {unknown} value */
function save(storage, key, value) {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: the page works until it is closed.
  }
}

/** The player's name; empty if none was entered. */
export const playerName = () => String(read(localStorage, NAME) ?? "");

/** @param {string} name */
export const savePlayerName = (name) => save(localStorage, NAME, name);

/** Whether the sounds are muted. */
export const isMuted = () => read(localStorage, MUTED) === true;

/** @param {boolean} muted */
export const saveMuted = (muted) => save(localStorage, MUTED, muted);

/** The strength, in levels from 1, of the computer that follows the player's results in a game. @param {string} game */
export function adaptiveStrength(game) {
  const strength = read(localStorage, ADAPTIVE)?.[game];
  // At first that of an easy computer.
  return typeof strength === "number" ? strength : 2;
}

/** @param {string} game @param {number} strength */
export function saveAdaptiveStrength(game, strength) {
  save(localStorage, ADAPTIVE, { ...Object(read(localStorage, ADAPTIVE)), [game]: strength });
}

/** How many puzzles in a row were solved at the first try. */
export function puzzleStreak() {
  const streak = read(localStorage, STREAK);
  return typeof streak === "number" && streak > 0 ? Math.floor(streak) : 0;
}

/** @param {number} streak */
export const savePuzzleStreak = (streak) => save(localStorage, STREAK, streak);

/** The key, while the browser forbids storage. @type {string | undefined} */
let unsavedKey;

/** The player's key, if there is one. */
export function playerKey() {
  const key = read(localStorage, KEY) ?? unsavedKey;
  return typeof key === "string" ? key : undefined;
}

/** @param {string} key */
export function savePlayerKey(key) {
  unsavedKey = key;
  save(localStorage, KEY, key);
}

export function removePlayerKey() {
  unsavedKey = undefined;
  save(localStorage, KEY, null);
}

/** The match in which this tab's player waits for an opponent. @returns {SavedPairing | null} */
export const pairing = () => read(sessionStorage, PAIRING);

/** @param {SavedPairing | null} saved */
export const savePairing = (saved) => save(sessionStorage, PAIRING, saved);

/** The player's seats, the latest first. @returns {SavedSeat[]} */
export function seats() {
  const saved = read(localStorage, SEATS);
  return Array.isArray(saved) ? saved.filter((seat) => seat?.id && seat.token) : [];
}

/** @param {string} id @returns {string | undefined} */
export const token = (id) => seats().find((seat) => seat.id === id)?.token;

/** @param {string} id @param {string} token @param {string} [game] @param {SeatName | null} [seat] */
export function saveSeat(id, token, game, seat) {
  const others = seats().filter((seat) => seat.id !== id);
  save(localStorage, SEATS, [{ id, token, game, seat, at: Date.now() }, ...others].slice(0, MAX_SEATS));
}

/** @param {string} id */
export function removeSeat(id) {
  save(localStorage, SEATS, seats().filter((seat) => seat.id !== id));
}

/**
 * The state of this tab's replica of a match. It is not shared between tabs: two
 * tabs with one client id would mistake each other's proposals for their own.
 * @param {string} id
 * @returns {SavedReplica}
 */
export function replica(id) {
  const saved = /** @type {SavedReplica | null} */ (read(sessionStorage, CLIENT + id));
  if (saved?.client) return saved;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return { client: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** @param {string} id @param {SavedReplica} saved */
export const saveReplica = (id, saved) => save(sessionStorage, CLIENT + id, saved);
