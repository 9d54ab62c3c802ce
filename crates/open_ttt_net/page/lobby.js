// The first page: start a game, join an open one, resume an own one.

import * as api from "./api.js";
import { preview } from "./board.js";
import { gameOf, games } from "./catalog.js";
import { choice, levelChoice } from "./choice.js";
import { computerSpec } from "./computer.js";
import { h, replace, write } from "./dom.js";
import { isKept } from "./engine.js";
import { History } from "./history.js";
import { analysisPath, lessonPath } from "./links.js";
import { announce, messageOf, toastError } from "./notifications.js";
import { OpenGames } from "./open-games.js";
import { pair } from "./pairing.js";
import { Parameters } from "./parameters.js";
import { DevicePanel, ownKey } from "./player-key.js";
import { PlayingGames } from "./playing-games.js";
import { onReach } from "./reach.js";
import { createMatch } from "./solo.js";
import * as storage from "./storage.js";

/** The delay before the games are loaded again after a failure, in milliseconds. */
const RETRY_DELAY = 5_000;

const MINUTE = 60_000;
/** @type {{title: string, value: TimeControl | undefined}[]} */
const CLOCKS = [
  { title: "No clock", value: undefined },
  { title: "1 min + 1 s", value: { initial_ms: MINUTE, increment_ms: 1000 } },
  { title: "3 min + 2 s", value: { initial_ms: 3 * MINUTE, increment_ms: 2000 } },
  { title: "10 min + 5 s", value: { initial_ms: 10 * MINUTE, increment_ms: 5000 } },
  { title: "3 days", value: { initial_ms: 4320 * MINUTE, increment_ms: 0 } },
];
/** @type {{title: string, value: SeatName | undefined}[]} */
const FIRST = [
  { title: "Random", value: undefined },
  { title: "Me", value: "a" },
  { title: "Opponent", value: "b" },
];

/** What is possible without the server: little before the browser keeps what plays. */
const offlineText = async () =>
  (await isKept())
    ? "Can't reach the server. You can play the computer, solve puzzles and use the analysis board, here in your browser. Games with other people, watching and ratings need the server."
    : "Can't reach the server. Nothing can be played until it's there again: this browser keeps what it needs to play by itself after the first game against the computer.";

export class Lobby {
  /** @param {HTMLElement} root @param {string} [key] a player's, of the link that opened the page */
  constructor(root, key) {
    this.root = root;
    this.key = key;
    /** @type {GameInfo[]} */
    this.games = [];
    /** @type {GameInfo | undefined} */
    this.game = undefined;
    this.level = levelChoice("level");
    this.first = choice("first", "Who goes first?", FIRST, 0);
    this.clock = choice("clock", "Clock", CLOCKS, 0);
    /** @type {HTMLInputElement} */
    this.name = h("input", {
      type: "text",
      id: "name",
      maxlength: 32,
      autocomplete: "nickname",
      placeholder: "Guest",
      value: storage.playerName(),
      oninput: () => storage.savePlayerName(this.name.value.trim()),
    });
    this.parameters = new Parameters();
    this.chosen = h("span", { class: "title", "aria-hidden": "true" });
    this.listed = h("input", { type: "checkbox", id: "listed" });
    this.rated = h("input", { type: "checkbox", id: "rated" });
    this.cards = h("div", { class: "games", role: "radiogroup", "aria-label": "Game" });
    this.about = h("div", { class: "about" });
    this.learn = h("a", { class: "button quiet", id: "learn", onclick: () => this.#link() }, "Learn to play");
    this.analyze = h("a", { class: "button quiet", id: "analyze", onclick: () => this.#link() }, "Analysis board");
    this.history = new History((game) => this.#title(game));
    this.openGames = new OpenGames({
      title: (game) => this.#title(game),
      isOwn: (match) => Boolean(storage.token(match.match) || (match.player && match.player === this.history.profile?.player)),
      onJoin: (match) => this.#join(match),
    });
    this.playingGames = new PlayingGames((game) => this.#title(game));
    /** Why there are no games to choose from. */
    this.problem = h("p", { class: "note offline-note", hidden: true });
    /** What is possible without the server. */
    this.offline = h("p", { class: "note offline-note", hidden: true });
    this.isReached = true;
    this.play = h("button", { type: "submit", class: "main", id: "play" }, "Play the computer");
    this.playNow = h("button", { type: "submit", class: "main", id: "play-now", form: "start" }, "Play");
    this.quick = h("button", { type: "button", class: "main second", id: "quick", onclick: () => this.#pair() }, "Quick game");
    this.invite = h("button", { type: "button", class: "main second", id: "invite", onclick: () => this.#create(null) }, "Invite a friend");
    onReach((isReached) => this.#reach(isReached));
    this.device = new DevicePanel(() => this.history.show());
    addEventListener("pageshow", (event) => event.persisted && this.#return());
  }

  async open() {
    document.title = "open_ttt";
    replace(this.root, this.#page());
    this.games = await this.#load();
    replace(this.cards, this.games.map((game) => this.#card(game)));
    this.#choose(this.games[0]);
    this.history.show();
    this.openGames.refresh();
    this.playingGames.refresh();
    if (this.key) this.device.offer(this.key);
    this.key = undefined;
  }

  /** The games, as soon as they can be had. @returns {Promise<GameInfo[]>} */
  async #load() {
    for (;;) {
      try {
        const list = await games();
        this.problem.hidden = true;
        return list;
      } catch (error) {
        const text = `The games can't be loaded. ${messageOf(error)} It's tried again every few seconds.`;
        if (this.problem.textContent !== text) announce(text);
        write(this.problem, text);
        this.problem.hidden = false;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
  }

  #page() {
    return h(
      "div",
      { class: "lobby" },
      h("div", { class: "hero" }, h("h1", {}, "Pick a game"), h("p", {}, "Play the computer, or send a friend a link. No account, nothing to install.", " ", h("a", { href: "/puzzles", id: "puzzles" }, "Or solve a puzzle.")), this.problem, this.offline),
      h(
        "div",
        { class: "pick" },
        this.cards,
        // On a small screen, the button is in reach while the games are.
        h("div", { class: "play-bar" }, this.chosen, this.playNow),
      ),
      h(
        "form",
        { class: "card start", id: "start", onsubmit: (event) => this.#playComputer(event) },
        this.about,
        this.parameters.element,
        h("div", { class: "row" }, this.learn, this.analyze),
        h("label", { class: "field", for: "name" }, h("span", {}, "Your name"), this.name),
        h(
          "section",
          { class: "way", "aria-label": "Play the computer" },
          this.level.element,
          this.play,
        ),
        h(
          "section",
          { class: "way", "aria-label": "Play somebody" },
          this.quick,
          h("label", { class: "tick", for: "rated" }, this.rated, h("span", {}, "Rated: against people, without undo")),
        ),
        h(
          "section",
          { class: "way", "aria-label": "Play a friend" },
          this.invite,
          h("label", { class: "tick", for: "listed" }, this.listed, h("span", {}, "Let anyone join from this page")),
        ),
        h(
          "details",
          { class: "more" },
          h("summary", {}, "More options"),
          this.clock.element,
          this.first.element,
        ),
      ),
      this.history.element,
      this.openGames.element,
      this.playingGames.element,
      this.device.element,
    );
  }

  /** @param {GameInfo} game */
  #card(game) {
    const input = h("input", { type: "radio", name: "game", value: game.game, class: "unseen", onchange: () => this.#choose(game) });
    return h(
      "label",
      { class: "game" },
      input,
      h("span", { class: "picture" }, preview(game.sample)),
      h("span", { class: "title" }, game.title),
    );
  }

  /** @param {GameInfo} game */
  #choose(game) {
    this.game = game;
    this.#enable();
    /** @type {HTMLInputElement | null} */
    const input = this.cards.querySelector(`input[value="${CSS.escape(game.game)}"]`);
    if (input) input.checked = true;
    this.parameters.show(game);
    this.#link();
    replace(this.chosen, game.title);
    replace(this.about, h("h2", {}, game.title), h("p", {}, game.rules.replace(/\s+/g, " ")));
  }

  /** @param {boolean} isReached */
  async #reach(isReached) {
    this.isReached = isReached;
    this.#enable();
    const text = isReached ? "" : await offlineText();
    // Meanwhile the server may be there again.
    if (isReached !== this.isReached) return;
    this.offline.hidden = isReached;
    if (text !== this.offline.textContent) announce(text);
    write(this.offline, text);
  }

  /** Lets the player begin what is possible: nothing before there are games, and without the server not with people. */
  #enable() {
    this.play.disabled = this.playNow.disabled = !this.game;
    this.quick.disabled = this.invite.disabled = !this.game || !this.isReached;
  }

  /** Links to the chosen game, with its parameters: also just before a link is followed. */
  #link() {
    const game = this.parameters.name;
    this.learn.setAttribute("href", lessonPath(game));
    this.analyze.setAttribute("href", analysisPath(game, []));
  }

  get #person() {
    return { person: this.name.value.trim() || "Guest" };
  }

  /** @param {Event} event */
  #playComputer(event) {
    event.preventDefault();
    if (this.game) this.#create({ computer: computerSpec(this.level.value, this.game.game) });
  }

  /** @param {SeatRequest | null} opponent */
  async #create(opponent) {
    if (!this.game || this.isCreating) return;
    this.isCreating = true;
    const body = {
      game: this.parameters.name,
      /** @type {[SeatRequest, SeatRequest | null]} */
      seats: [this.#person, opponent],
      listed: this.listed.checked,
      clock: this.clock.value,
      first: this.first.value,
      rated: this.rated.checked && !opponent,
      key: ownKey(),
    };
    try {
      this.#enter(await createMatch(body), body.game);
    } catch (error) {
      this.isCreating = false;
      toastError(error);
    }
  }

  async #pair() {
    if (!this.game || this.isCreating) return;
    this.isCreating = true;
    try {
      await pair({ game: this.parameters.name, clock: this.clock.value, rated: this.rated.checked, name: this.#person.person });
    } catch (error) {
      this.isCreating = false;
      toastError(error);
    }
  }

  /** @param {SeatAssignment} assigned @param {string} game */
  #enter(assigned, game) {
    location.assign(storage.keepSeat(assigned, game));
  }

  /** Shown again from the back/forward cache, after a game. */
  #return() {
    this.isCreating = false;
    this.history.show();
    this.device.show();
    this.openGames.refresh();
    this.playingGames.refresh();
  }

  /** @param {MatchSummary} match */
  async #join(match) {
    try {
      this.#enter(await api.join(match.match, { player: this.#person, key: ownKey() }), match.game);
    } catch (error) {
      toastError(error);
      this.openGames.refresh();
    }
  }

  /** @param {string} name */
  #title(name) {
    const title = gameOf(this.games, name)?.title ?? name;
    const parameters = /\((.*)\)/.exec(name)?.[1];
    return parameters ? `${title} (${parameters.replaceAll(/\w+=/g, "").replaceAll(",", ", ")})` : title;
  }
}
