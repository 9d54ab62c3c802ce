// The list of open games, a page of it at a time.

import * as api from "./api.js";
import { controlText } from "./clock.js";
import { h, update, write } from "./dom.js";
import { messageOf } from "./notifications.js";
import { row } from "./rows.js";

/** The interval at which the list is loaded, in milliseconds. */
const REFRESH_INTERVAL = 5_000;

/**
 * @typedef {object} Player
 * @property {(game: string) => string} title a game's title
 * @property {(match: MatchSummary) => boolean} isOwn whether the player waits in a match
 * @property {(match: MatchSummary) => void} onJoin
 */

export class OpenGames {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.range = h("span", { class: "small" });
    this.heading = h("h2", { id: "open-games", tabindex: -1 }, "Open games ", this.range);
    this.problem = h("p", { class: "small" });
    this.rows = h("ul", { class: "rows" });
    this.none = h("li", { class: "none" }, "No open games right now. Invite a friend, or let anyone join.");
    this.newer = h("button", { type: "button", class: "quiet", id: "newer", onclick: () => this.#turn(-1) }, "Newer");
    this.older = h("button", { type: "button", class: "quiet", id: "older", onclick: () => this.#turn(1) }, "Older");
    this.pages = h("div", { class: "row", hidden: true }, this.newer, this.older);
    this.element = h("section", { class: "card", "aria-labelledby": "open-games" }, this.heading, this.problem, this.rows, this.pages);
    /** Where the pages up to the current one start: how many games are before each. */
    this.starts = [0];
    /** What is shown. @type {MatchList} */
    this.list = { total: 0, from: 0, matches: [] };
    /** The rows by match, each with what it shows. @type {Map<string, {text: string, row: HTMLElement}>} */
    this.shown = new Map();
  }

  /** Loads the current page, now and at intervals. */
  async refresh() {
    clearTimeout(this.timer);
    if (!document.hidden) await this.#load();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), REFRESH_INTERVAL);
  }

  /** Shows the page before or behind the current one, from its heading on. @param {-1 | 1} step */
  async #turn(step) {
    const { from, matches } = this.list;
    const next = from + matches.length;
    if (step === 1) this.starts = [...this.starts.filter((start) => start < next), next];
    else this.starts = [0, ...this.starts.filter((start) => start > 0 && start < from)];
    await this.refresh();
    this.element.scrollIntoView();
    this.heading.focus({ preventScroll: true });
  }

  /** @returns {Promise<void>} */
  async #load() {
    const { starts } = this;
    try {
      const list = await api.openMatches(starts[starts.length - 1]);
      // Another page is wanted by now.
      if (starts !== this.starts) return;
      write(this.problem, "");
      if (list.matches.length || starts.length === 1) return this.#show(list);
      // So many games have begun that there is no such page any more.
      this.starts = starts.slice(0, -1);
      return this.#load();
    } catch (error) {
      write(this.problem, messageOf(error));
    }
  }

  /** @param {MatchList} list */
  #show(list) {
    const { total, from, matches } = list;
    const next = from + matches.length;
    const shown = new Map();
    for (const match of matches) {
      const isOwn = this.player.isOwn(match);
      const text = JSON.stringify([match, isOwn]);
      const known = this.shown.get(match.match);
      shown.set(match.match, known?.text === text ? known : { text, row: this.#row(match, isOwn) });
    }
    const rows = [...shown.values()].map(({ row }) => row);
    const hadFocus = this.rows.contains(document.activeElement);
    update(this.rows, rows.length ? rows : [this.none]);
    // The game that had it has begun.
    if (hadFocus && !this.rows.contains(document.activeElement)) this.heading.focus({ preventScroll: true });
    const hasPages = from > 0 || next < total;
    write(this.range, hasPages ? `${from + 1}–${next} of ${total}` : "");
    this.pages.hidden = !hasPages;
    this.newer.disabled = from === 0;
    this.older.disabled = next >= total;
    this.list = list;
    this.shown = shown;
  }

  /** @param {MatchSummary} match @param {boolean} isOwn */
  #row(match, isOwn) {
    const details = [this.player.title(match.game), controlText(match.clock), match.rated && "rated"];
    const button = isOwn
      ? h("a", { class: "button quiet", href: `/m/${match.match}` }, "Resume")
      : h("button", { type: "button", class: "quiet", onclick: () => this.player.onJoin(match) }, "Join");
    return row(match.name ?? "Someone", details.filter(Boolean).join(" · "), button);
  }
}
