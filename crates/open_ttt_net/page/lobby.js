// The first page: start a game, sit down at a table, come back to one's own.

import * as api from "./api.js";
import { preview } from "./board.js";
import { controlText } from "./clock.js";
import { choice, strengthChoice } from "./choice.js";
import { h, replace } from "./dom.js";
import * as keepsake from "./keepsake.js";
import { toast } from "./notice.js";
import { computerSpec } from "./computer.js";

/** How often the open tables are looked up, in milliseconds. */
const LOOK_EVERY = 5_000;
/** How many of one's own matches are listed. */
const OWN_SHOWN = 6;

const MINUTE = 60_000;
const CLOCKS = [
  { title: "No clock", value: null },
  { title: "1 min + 1 s", value: { initial_ms: MINUTE, increment_ms: 1000 } },
  { title: "3 min + 2 s", value: { initial_ms: 3 * MINUTE, increment_ms: 2000 } },
  { title: "10 min + 5 s", value: { initial_ms: 10 * MINUTE, increment_ms: 5000 } },
  { title: "3 days", value: { initial_ms: 4320 * MINUTE, increment_ms: 0 } },
];
const FIRST = [
  { title: "By lot", value: null },
  { title: "You", value: "a" },
  { title: "They", value: "b" },
];

export class Lobby {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {any[]} */
    this.games = [];
    /** @type {any} */
    this.game = null;
    this.strength = strengthChoice("strength");
    this.first = choice("first", "Who begins", FIRST, 0);
    this.clock = choice("clock", "Clock", CLOCKS, 0);
    this.name = h("input", {
      type: "text",
      id: "name",
      maxlength: 32,
      autocomplete: "nickname",
      placeholder: "Guest",
      value: keepsake.name(),
      oninput: () => keepsake.keepName(this.name.value.trim()),
    });
    this.variant = h("input", { type: "text", id: "variant", maxlength: 60, spellcheck: "false", autocapitalize: "off" });
    this.listed = h("input", { type: "checkbox", id: "listed" });
    this.cards = h("div", { class: "games", role: "radiogroup", "aria-label": "Game" });
    this.about = h("div", { class: "about" });
    this.tables = h("ul", { class: "tables" });
    this.own = h("ul", { class: "tables" });
  }

  async open() {
    document.title = "open_ttt";
    replace(this.root, this.#page());
    try {
      this.games = await api.games();
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
      setTimeout(() => this.open(), LOOK_EVERY);
      return;
    }
    replace(this.cards, this.games.map((game) => this.#card(game)));
    this.#choose(this.games[0]);
    this.#showOwn();
    this.#look();
  }

  #page() {
    return h(
      "div",
      { class: "lobby" },
      h("div", { class: "hero" }, h("h1", {}, "What shall we play?"), h("p", {}, "Against a computer, or against a friend by a link. Nothing to install, no account.")),
      this.cards,
      h(
        "form",
        { class: "card start", onsubmit: (/** @type {Event} */ event) => this.#againstComputer(event) },
        this.about,
        h("label", { class: "field", for: "name" }, h("span", {}, "Your name"), this.name),
        h(
          "section",
          { class: "way", "aria-label": "Against the computer" },
          this.strength.element,
          h("button", { type: "submit", class: "main", id: "play" }, "Play the computer"),
        ),
        h(
          "section",
          { class: "way", "aria-label": "Against a friend" },
          h("button", { type: "button", class: "main second", id: "invite", onclick: () => this.#invite() }, "Invite a friend"),
          h("label", { class: "tick", for: "listed" }, this.listed, h("span", {}, "Let anybody join from this page")),
        ),
        h(
          "details",
          { class: "more" },
          h("summary", {}, "Clock, who begins, variants"),
          this.clock.element,
          this.first.element,
          h("label", { class: "field", for: "variant" }, h("span", {}, "The game, as the catalog writes it"), this.variant),
        ),
      ),
      h("section", { class: "card", "aria-labelledby": "open-tables" }, h("h2", { id: "open-tables" }, "Open tables"), this.tables),
      h("section", { class: "card", "aria-labelledby": "own-tables" }, h("h2", { id: "own-tables" }, "Your tables"), this.own),
    );
  }

  /** @param {any} game */
  #card(game) {
    const input = h("input", { type: "radio", name: "game", value: game.game, class: "unseen", onchange: () => this.#choose(game) });
    return h(
      "label",
      { class: "game" },
      input,
      h("span", { class: "picture" }, game.board ? preview(game.board) : null),
      h("span", { class: "title" }, game.title),
    );
  }

  /** @param {any} game */
  #choose(game) {
    this.game = game;
    const input = this.cards.querySelector(`input[value="${CSS.escape(game.game)}"]`);
    if (input) input.checked = true;
    this.variant.value = game.game;
    replace(this.about, h("h2", {}, game.title), h("p", {}, game.rules.replace(/\s+/g, " ")));
  }

  /** @param {(object | null)[]} seats */
  #wish(seats) {
    const wish = { game: this.variant.value.trim() || this.game.game, seats, listed: this.listed.checked };
    if (this.clock.value) Object.assign(wish, { clock: this.clock.value });
    if (this.first.value) Object.assign(wish, { first: this.first.value });
    return wish;
  }

  get #person() {
    return { person: this.name.value.trim() || "Guest" };
  }

  /** @param {Event} event */
  #againstComputer(event) {
    event.preventDefault();
    const computer = computerSpec(this.game.strongest, this.strength.value);
    return this.#create([this.#person, { computer }]);
  }

  #invite() {
    return this.#create([this.#person, null]);
  }

  /** @param {(object | null)[]} seats */
  async #create(seats) {
    if (!this.game || this.busy) return;
    this.busy = true;
    try {
      this.#go(await api.create(this.#wish(seats)), this.game.game);
    } catch (error) {
      this.busy = false;
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** @param {any} seated @param {string} game */
  #go(seated, game) {
    if (seated.token) keepsake.keepSeat(seated.match, seated.token, game);
    location.assign(seated.path);
  }

  async #look() {
    clearTimeout(this.timer);
    if (!document.hidden) {
      try {
        const { matches } = await api.openMatches();
        this.#showTables(matches);
      } catch (error) {
        replace(this.tables, h("li", { class: "none" }, /** @type {Error} */ (error).message));
      }
    }
    this.timer = setTimeout(() => this.#look(), LOOK_EVERY);
  }

  /** @param {any[]} matches */
  #showTables(matches) {
    const text = JSON.stringify(matches);
    if (text === this.shown) return;
    this.shown = text;
    const rows = matches.map((table) =>
      h(
        "li",
        {},
        h("span", { class: "who" }, table.name ?? "Somebody"),
        h("span", { class: "what" }, [this.#title(table.game), controlText(table.clock)].filter(Boolean).join(" · ")),
        keepsake.token(table.match)
          ? h("a", { class: "button quiet", href: `/m/${table.match}` }, "Yours")
          : h("button", { type: "button", class: "quiet", onclick: () => this.#join(table) }, "Sit down"),
      ),
    );
    replace(this.tables, rows.length ? rows : h("li", { class: "none" }, "Nobody is waiting. Invite a friend, or let anybody join."));
  }

  /** @param {any} table */
  async #join(table) {
    try {
      this.#go(await api.join(table.match, { player: this.#person }), table.game);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
      this.#look();
    }
  }

  #showOwn() {
    const rows = keepsake.seats().slice(0, OWN_SHOWN).map((seat) => {
      const when = new Date(seat.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
      return h(
        "li",
        {},
        h("span", { class: "who" }, this.#title(seat.game ?? "A game")),
        h("span", { class: "what" }, when),
        h("a", { class: "button quiet", href: `/m/${seat.id}` }, "Go on"),
      );
    });
    replace(this.own, rows.length ? rows : h("li", { class: "none" }, "What you play is kept here, in this browser."));
  }

  /** @param {string} name */
  #title(name) {
    return this.games.find((game) => game.game === name)?.title ?? name;
  }
}
