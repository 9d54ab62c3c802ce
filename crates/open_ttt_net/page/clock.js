// The clocks of both seats, as counted by the server.

/**
 * The time a seat has left, in milliseconds.
 * @param {Clock} clock
 * @param {SeatIndex} seat
 * @param {number} now the server's time, in milliseconds since 1970
 */
export function leftAt(clock, seat, now) {
  const left = clock.left_ms[seat];
  if (!clock.running || clock.running[0] !== "ab"[seat]) return left;
  return Math.max(0, left - Math.max(0, now - clock.running[1]));
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * `2d 4h`, `1:02:03`, `9:59`; with tenths below ten seconds, `0:09.4`.
 * @param {number} left in milliseconds
 */
export function clockText(left) {
  if (left >= 2 * DAY) return `${Math.floor(left / DAY)}d ${Math.floor((left % DAY) / HOUR)}h`;
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const minutes = Math.floor((left % HOUR) / MINUTE);
  const seconds = Math.floor((left % MINUTE) / SECOND);
  if (left >= HOUR) return `${Math.floor(left / HOUR)}:${two(minutes)}:${two(seconds)}`;
  const tenths = left < 10 * SECOND && left > 0 ? `.${Math.floor((left % SECOND) / 100)}` : "";
  return `${minutes}:${two(seconds)}${tenths}`;
}

/**
 * `3 min + 2 s`.
 * @param {TimeControl | null | undefined} control
 */
export function controlText(control) {
  if (!control) return "";
  const length = (/** @type {number} */ ms) => {
    if (ms >= DAY) return `${ms / DAY} d`;
    if (ms >= HOUR) return `${ms / HOUR} h`;
    return ms >= MINUTE ? `${ms / MINUTE} min` : `${ms / SECOND} s`;
  };
  const added = control.increment_ms ? ` + ${length(control.increment_ms)}` : "";
  return length(control.initial_ms) + added;
}
