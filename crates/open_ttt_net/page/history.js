// The player's games: those of the server's history, and the seats that only this
// browser knows.

import * as api from "./api.js";
import { computerName } from "./computer.js";
import { h, isDisabled, replace, setDisabled } from "./dom.js";
import { toastError } from "./notifications.js";
import { describe, row } from "./rows.js";
import { opponent, seatIndex, seatName } from "./seat.js";
import { kept } from "./solo.js";
import * as storage from "./storage.js";
import { playerName, statusText } from "./text.js";

/** The most matches of this browser alone, and the most seats that only it knows, that are listed at once. */
const MAX_KNOWN = 6;
/** The most games in progress whose turn is asked for. */
const MAX_TURNS = 8;

/** How a game ended for the player. @param {Pick<PlayedGame, "verdict" | "seat" | "rating">} game */
export function resultText({ verdict, seat, rating }) {
  if (!verdict) return "In progress";
  const result = !verdict.winner ? "Draw" : verdict.winner === seat ? "Won" : "Lost";
  return rating ? `${result}, rating ${rating.before.rating} → ${rating.after.rating}` : result;
}

/** Tells of a failure, unless the page does so anyway. @param {unknown} error */
const tell = (error) => error instanceof api.RequestError && error.code === "offline" ? undefined : toastError(error);

/** @param {number} at in milliseconds since 1970 */
const timeText = (at) => new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

export class History {
  /** @param {(game: string) => string} title */
  constructor(title) {
    this.title = title;
    this.ratings = h("p", { class: "small" });
    this.rows = h("ul", { class: "rows" });
    this.more = h("button", { type: "button", class: "quiet", id: "more-games", onclick: () => this.#showMore() }, "Show more");
    this.moreRow = h("div", { class: "row", hidden: true }, this.more);
    this.element = h("section", { class: "card", "aria-labelledby": "own-games" }, h("h2", { id: "own-games" }, "Your games"), this.ratings, this.rows, this.moreRow);
    /** @type {PlayerProfile | null} */
    this.profile = null;
    /** The matches that are listed. @type {Set<string>} */
    this.listed = new Set();
    /** The matches that only this browser knows and that aren't listed yet. @type {{id: string, make: () => HTMLElement}[]} */
    this.waiting = [];
    /** Where the next page of the server's history begins; null if there is none. @type {number | null} */
    this.next = null;
  }

  async show() {
    await this.#loadProfile();
    const rated = this.profile?.games.filter((game) => game.rating) ?? [];
    const texts = rated.map(({ game, rating }) => `${this.title(game)} ${rating?.rating} ± ${2 * (rating?.deviation ?? 0)}`);
    replace(this.ratings, texts.length ? `Your ratings: ${texts.join(", ")}` : null);
    // After a failure, "Show more" tries it again.
    this.next = this.profile && 0;
    const page = await this.#page(0);
    this.turns = 0;
    this.listed.clear();
    const games = this.#games(page);
    // A game to go on with comes before those that are over.
    const matches = kept().sort((one, other) => Number(one.verdict !== null) - Number(other.verdict !== null));
    const solo = matches.map((match) => ({ id: match.id, make: () => this.#solo(match) }));
    const seats = storage.seats().filter(({ id }) => !this.listed.has(id)).map(({ id, game = "Game", seat, at }) => ({ id, make: () => this.#running(game, "", at, id, seat) }));
    this.waiting = [...solo.splice(MAX_KNOWN), ...seats.splice(MAX_KNOWN)];
    const rows = [...this.#known(solo), ...games, ...this.#known(seats)];
    replace(this.rows, rows.length ? rows : h("li", { class: "none" }, "Your games are saved in this browser."));
    this.#showButton();
  }

  #showButton() {
    this.moreRow.hidden = !this.waiting.length && this.next === null;
  }

  /** Lists more of what this browser knows, and the next page of the history. */
  async #showMore() {
    if (isDisabled(this.more)) return;
    setDisabled(this.more, true);
    const page = this.next === null ? [] : await this.#page(this.next);
    setDisabled(this.more, false);
    this.turns = 0;
    const added = [...this.#known(this.waiting.splice(0, 2 * MAX_KNOWN)), ...this.#games(page)];
    if (added.length) this.rows.querySelector(".none")?.remove();
    this.rows.append(...added);
    const hadFocus = document.activeElement === this.more;
    this.#showButton();
    if (hadFocus && this.moreRow.hidden) added[0]?.querySelector("a")?.focus();
  }

  /** A match that is played in this browser alone. @param {ReturnType<typeof kept>[number]} match */
  #solo({ id, game, at, computer, seat, verdict, isTurn }) {
    const parts = [computerName(computer), verdict ? resultText({ verdict, seat: seatName(seat) }) : isTurn ? "Your turn" : "Computer's turn", "in this browser", ""];
    const shown = this.#row(game, parts.join(" · "), at, id, verdict ? "Open" : "Resume");
    shown.classList.toggle("yours", isTurn);
    return shown;
  }

  /** The rows of matches that this browser knows, as far as they aren't listed. @param {{id: string, make: () => HTMLElement}[]} matches */
  #known(matches) {
    const missing = matches.filter(({ id }) => !this.listed.has(id));
    for (const { id } of missing) this.listed.add(id);
    return missing.map(({ make }) => make());
  }

  async #loadProfile() {
    const key = storage.playerKey();
    try {
      this.profile = key ? await api.profile(key) : null;
    } catch (error) {
      tell(error);
    }
  }

  /** The history from an entry on; nothing after a failure. @param {number} from */
  async #page(from) {
    if (!this.profile) return [];
    try {
      const { total, games } = await api.history(this.profile.player, from);
      const next = from + games.length;
      this.next = games.length && next < total ? next : null;
      return games;
    } catch (error) {
      tell(error);
      return [];
    }
  }

  /** One row for each match that isn't listed yet. @param {PlayedGame[]} games */
  #games(games) {
    const rows = [];
    for (const game of games) {
      if (this.listed.has(game.match)) continue;
      this.listed.add(game.match);
      const { name, computer } = game.opponent;
      const detail = `${computer ? computerName(computer) : name} · ${resultText(game)} · `;
      rows.push(game.verdict ? this.#row(game.game, detail, game.at, game.match, "Open") : this.#running(game.game, detail, game.at, game.match, game.seat));
    }
    return rows;
  }

  /**
   * A game in progress: whose turn it is follows.
   * @param {string} game @param {string} detail @param {number} at @param {string} id @param {SeatName} [seat]
   */
  #running(game, detail, at, id, seat) {
    const shown = this.#row(game, detail, at, id, "Resume");
    this.turns = (this.turns ?? 0) + 1;
    if (seat && this.turns <= MAX_TURNS) this.#addTurn(shown, at, id, seatIndex(seat));
    return shown;
  }

  /** @param {HTMLElement} shown @param {number} at @param {string} id @param {SeatIndex} seat */
  async #addTurn(shown, at, id, seat) {
    try {
      const { view } = await api.status(id);
      const other = opponent(seat);
      const parts = [view.seats[other] && playerName(view, other), statusText(view, seat), timeText(at)];
      describe(shown, parts.filter(Boolean).join(" · "));
      shown.classList.toggle("yours", view.to_move !== null && seatIndex(view.to_move) === seat);
    } catch {
      // The row stays without it.
    }
  }

  /** @param {string} game @param {string} detail @param {number} at @param {string} id @param {string} action */
  #row(game, detail, at, id, action) {
    return row(this.title(game), detail + timeText(at), h("a", { class: "button quiet", href: `/m/${id}` }, action));
  }
}
