// The player's games: those of the server's history, and the seats that only this
// browser knows.

import * as api from "./api.js";
import { computerName } from "./computer.js";
import { h, replace } from "./dom.js";
import { toastError } from "./notifications.js";
import { row } from "./rows.js";
import { opponent, seatIndex, seatName } from "./seat.js";
import { kept } from "./solo.js";
import * as storage from "./storage.js";
import { playerName, statusText } from "./text.js";

/** The most seats that are listed without the server. */
const MAX_SEATS = 6;
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
    this.more = h("div", { class: "row" });
    this.element = h("section", { class: "card", "aria-labelledby": "own-games" }, h("h2", { id: "own-games" }, "Your games"), this.ratings, this.rows, this.more);
    /** @type {PlayerProfile | null} */
    this.profile = null;
  }

  async show() {
    await this.#loadProfile();
    /** @type {Set<string>} */
    this.listed = new Set();
    const rated = this.profile?.games.filter((game) => game.rating) ?? [];
    const texts = rated.map(({ game, rating }) => `${this.title(game)} ${rating?.rating} ± ${2 * (rating?.deviation ?? 0)}`);
    replace(this.ratings, texts.length ? `Your ratings: ${texts.join(", ")}` : null);
    const page = await this.#page(0);
    const known = new Set(page.map((game) => game.match));
    const seats = storage.seats().filter((seat) => !known.has(seat.id)).slice(0, MAX_SEATS);
    this.turns = 0;
    const saved = seats.map(({ id, game = "Game", seat, at }) => this.#running(game, "", at, id, seat));
    const rows = [...this.#solo(), ...this.#games(page), ...saved];
    replace(this.rows, rows.length ? rows : h("li", { class: "none" }, "Your games are saved in this browser."));
  }

  /** The latest matches that are played in this browser alone. */
  #solo() {
    return kept().slice(0, MAX_SEATS).map(({ id, game, at, computer, seat, verdict, isTurn }) => {
      const parts = [computerName(computer), verdict ? resultText({ verdict, seat: seatName(seat) }) : isTurn ? "Your turn" : "Computer's turn", "in this browser", ""];
      const shown = this.#row(game, parts.join(" · "), at, id, verdict ? "Open" : "Resume");
      shown.classList.toggle("yours", isTurn);
      return shown;
    });
  }

  async #loadProfile() {
    const key = storage.playerKey();
    try {
      this.profile = key ? await api.profile(key) : null;
    } catch (error) {
      tell(error);
    }
  }

  /** The history from an entry on, and a button for the next page. @param {number} from */
  async #page(from) {
    replace(this.more);
    if (!this.profile) return [];
    try {
      const { total, games } = await api.history(this.profile.player, from);
      const next = from + games.length;
      const load = async () => this.rows.append(...this.#games(await this.#page(next)));
      if (games.length && next < total) replace(this.more, h("button", { type: "button", class: "quiet", id: "more-games", onclick: load }, "Show more"));
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
      if (this.listed?.has(game.match)) continue;
      this.listed?.add(game.match);
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
      const what = shown.querySelector(".what");
      if (what) replace(what, parts.filter(Boolean).join(" · "));
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
