// A past game: its moves, and its boards, which arrive page by page.

import * as api from "./api.js";

export class PastGame {
  /**
   * @param {string} id the match
   * @param {number} number the number of the game
   */
  constructor(id, number) {
    this.id = id;
    this.number = number;
    /** Missing before the first page. @type {GameFrames["record"] | null} */
    this.record = null;
    /** The boards by ply, as far as they are loaded. @type {(BoardView | undefined)[]} */
    this.boards = [];
    this.loaded = 0;
    /** The length of the longest page so far. */
    this.pageLength = 1;
  }

  /** The ply of the last board. */
  get last() {
    return this.record ? this.record.moves.length : 0;
  }

  get isComplete() {
    return this.record !== null && this.loaded > this.last;
  }

  /** Whether a ply can be shown: its board and the one before are loaded. @param {number} ply */
  has(ply) {
    return Boolean(this.boards[ply] && this.boards[Math.max(0, ply - 1)]);
  }

  /**
   * Loads the page with a ply and the one before; if they are loaded, the next page that
   * is missing after the ply, or before it.
   * @param {number} ply
   */
  async loadPage(ply) {
    const from = this.#start(ply);
    const { record, boards, from: first = 0 } = await api.frames(this.id, this.number, from);
    const added = boards.filter((board, at) => !this.boards[first + at] && first + at <= record.moves.length);
    if (!added.length) throw new api.RequestError("no_boards", "The server didn't send the rest of this game.");
    boards.forEach((board, at) => (this.boards[first + at] = board));
    this.record = record;
    this.loaded += added.length;
    this.pageLength = Math.max(this.pageLength, boards.length);
  }

  /** The ply at which the next page starts. @param {number} ply */
  #start(ply) {
    if (!this.record) return 0;
    const missing = (/** @type {number} */ at) => at <= this.last && !this.boards[at];
    const from = [ply, ply - 1].find((at) => at >= 0 && missing(at)) ?? this.#missingAfter(ply, missing);
    // Plies before are likely to be wanted next.
    let start = from;
    while (start > 0 && from - start + 1 < this.pageLength && missing(start - 1)) start -= 1;
    return start;
  }

  /** @param {number} ply @param {(at: number) => boolean} missing */
  #missingAfter(ply, missing) {
    for (let at = ply; at <= this.last; at += 1) if (missing(at)) return at;
    let at = ply;
    while (at > 0 && !missing(at)) at -= 1;
    return at;
  }
}
