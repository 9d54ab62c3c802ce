// The public games in progress, for spectators.

import * as api from "./api.js";
import { h, update, write } from "./dom.js";
import { row } from "./rows.js";

/** The interval at which the list is loaded, in milliseconds. */
const REFRESH_INTERVAL = 10_000;
/** The most games that are shown. */
const MAX_ROWS = 12;

export class PlayingGames {
  /** @param {(game: string) => string} title a game's title */
  constructor(title) {
    this.title = title;
    this.rows = h("ul", { class: "rows" });
    this.count = h("span", { class: "small" });
    this.element = h("section", { class: "card", "aria-labelledby": "playing-games", hidden: true }, h("h2", { id: "playing-games" }, "Games to watch ", this.count), this.rows);
    /** The rows by match. @type {Map<string, HTMLElement>} */
    this.shown = new Map();
  }

  /** Loads the list, now and at intervals. */
  async refresh() {
    clearTimeout(this.timer);
    if (!document.hidden) await this.#load();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), REFRESH_INTERVAL);
  }

  async #load() {
    try {
      const { total, matches } = await api.playingMatches();
      const listed = matches.slice(0, MAX_ROWS);
      this.shown = new Map(listed.map((match) => [match.match, this.shown.get(match.match) ?? this.#row(match)]));
      update(this.rows, [...this.shown.values()]);
      write(this.count, total > MAX_ROWS ? `${MAX_ROWS} of ${total}` : "");
      this.element.hidden = !total;
    } catch {
      // The list of open games tells that the server can't be reached.
    }
  }

  /** @param {MatchSummary} match */
  #row({ match, game, name, opponent }) {
    const players = `${name ?? "Someone"} – ${opponent ?? "someone"}`;
    return row(players, this.title(game), h("a", { class: "button quiet", href: `/m/${match}` }, "Watch"));
  }
}
