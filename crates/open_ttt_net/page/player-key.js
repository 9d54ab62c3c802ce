// The player's key: a secret that this browser makes and keeps. It gives a lost seat
// back, and the server keeps the player's games under a public id derived from it.

import { h, replace } from "./dom.js";
import { toast } from "./notifications.js";
import { linkField } from "./share.js";
import * as storage from "./storage.js";

const BYTES = 16;
const LINK = /^#player=([0-9a-f]{32})$/;

/** The key; made at the first call. */
export function ownKey() {
  const known = storage.playerKey();
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  storage.savePlayerKey(key);
  return key;
}

/** The key as text to read aloud: `0011 2233 4455 ..`. @param {string} key */
export const keyText = (key) => key.replace(/.{4}(?=.)/g, "$& ");

/** The key in a text that a person has typed; null for any other text. @param {string} text */
export function parseKey(text) {
  const digits = text.replace(/[\s-]/g, "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : null;
}

/** Whether the page's address is a link with a key. */
export const isPlayerLink = () => LINK.test(location.hash);

/** The key of the link that has opened the page, which is removed from the address. */
export function keyOfLink() {
  const key = LINK.exec(location.hash)?.[1];
  if (key) history.replaceState(null, "", location.pathname);
  return key;
}

/** The section of the lobby about the key. */
export class DevicePanel {
  /** @param {() => void} onChange another player is here */
  constructor(onChange) {
    this.onChange = onChange;
    this.body = h("div", { class: "way" });
    this.element = h("section", { class: "card", "aria-labelledby": "device" }, h("h2", { id: "device" }, "This device"), this.body);
    this.show();
  }

  show() {
    const key = storage.playerKey();
    replace(this.body, key ? this.#known(key) : text("Your first game makes a key in this browser. It brings your games and your rating back if you lose a tab."), this.#form());
  }

  /** Asks before another player takes the place of this browser's. @param {string} key */
  offer(key) {
    const known = storage.playerKey();
    if (key === known) return toast("This is your player already.");
    const use = () => {
      storage.savePlayerKey(key);
      toast("Your games are here now.");
      this.#changed();
    };
    if (!known) return this.#ask("Play in this browser as the player of this link or code?", "Use it", use);
    this.#ask("This browser has a player already. If you replace it, its games and rating are lost unless you copied its link or code.", "Replace it", use);
  }

  /** @param {string} question @param {string} yes @param {() => void} action */
  #ask(question, yes, action) {
    const no = h("button", { type: "button", class: "quiet", onclick: () => this.show() }, "Cancel");
    const buttons = h("div", { class: "row" }, h("button", { type: "button", class: "main", "data-yes": true, onclick: action }, yes), no);
    replace(this.body, h("div", { class: "question" }, h("p", {}, question), buttons));
    this.element.scrollIntoView({ block: "nearest" });
    no.focus();
  }

  #changed() {
    this.show();
    this.onChange();
  }

  /** @param {string} key */
  #known(key) {
    const forget = () => {
      storage.removePlayerKey();
      this.#changed();
    };
    return h(
      "details",
      { class: "more" },
      h("summary", {}, "Play on another device"),
      text("Open this link there, or type the code. Keep both private: they let anyone play for you."),
      linkField({ url: `${location.origin}/#player=${key}`, label: "Player link", title: "My player" }).element,
      h("p", {}, h("code", { id: "code" }, keyText(key))),
      h("button", { type: "button", class: "quiet", id: "forget", onclick: () => this.#ask("Forget this player? Without its link or code, its games and rating are lost.", "Forget it", forget) }, "Forget this player"),
    );
  }

  #form() {
    const field = h("input", { type: "text", id: "player-code", maxlength: 60, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const key = parseKey(field.value);
      if (key) this.offer(key);
      else toast("A player code has 32 digits from 0 to 9 and a to f.", "bad");
    };
    return h(
      "details",
      { class: "more" },
      h("summary", {}, "Enter a code"),
      h("form", { onsubmit: submit }, h("label", { class: "field", for: "player-code" }, h("span", {}, "Player code"), field), h("button", { type: "submit", class: "quiet", id: "use-code" }, "Use this code")),
    );
  }
}

/** @param {string} content */
const text = (content) => h("p", { class: "small" }, content);
