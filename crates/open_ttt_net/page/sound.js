// Soft sounds, synthesised: none before the first click or key, none while the page is
// hidden, and none while they are muted.

import { h, s, write } from "./dom.js";
import * as storage from "./storage.js";

/** The volume of a note, from 0 to 1. */
const VOLUME = 0.12;

/** The notes of each sound: frequency in hertz, start and length in seconds. @type {Record<Sound, [number, number, number][]>} */
const SOUNDS = {
  own: [[330, 0, 0.12]],
  other: [[262, 0, 0.12]],
  ask: [[523, 0, 0.14], [659, 0.13, 0.2]],
  refusal: [[220, 0, 0.14], [185, 0.13, 0.22]],
  win: [[392, 0, 0.16], [523, 0.14, 0.16], [659, 0.28, 0.16], [784, 0.42, 0.5]],
  loss: [[330, 0, 0.22], [262, 0.2, 0.45]],
  draw: [[392, 0, 0.2], [392, 0.22, 0.4]],
};

/** @type {AudioContext | undefined} */
let context;

/** Browsers allow sound after the first action of the user. */
function allow() {
  context ??= new AudioContext();
}
for (const event of ["pointerdown", "keydown"]) addEventListener(event, allow, { once: true });

/**
 * Plays a sound.
 * @param {Sound} name
 * @param {number} [delay] in milliseconds
 */
export function play(name, delay = 0) {
  if (!context || document.hidden || storage.isMuted()) return;
  if (context.state === "suspended") context.resume();
  for (const [frequency, start, length] of SOUNDS[name]) note(context, frequency, context.currentTime + delay / 1000 + start, length);
}

/**
 * A note that begins at once and fades like that of wood.
 * @param {AudioContext} context @param {number} frequency @param {number} at @param {number} length
 */
function note(context, frequency, at, length) {
  const oscillator = new OscillatorNode(context, { type: "triangle", frequency });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(VOLUME, at + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

/** The button that mutes the sounds. */
export function muteButton() {
  const wave = s("path", { class: "wave", d: "M13 6.5a5 5 0 0 1 0 7M15.5 4a8.5 8.5 0 0 1 0 12" });
  const cross = s("path", { class: "wave", d: "M13 7.5l5 5M18 7.5l-5 5" });
  const icon = s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: "M2 7.5h3.5L10 4v12l-4.5-3.5H2Z" }), wave, cross);
  const label = h("span", { class: "unseen" });
  const button = h("button", { type: "button", class: "quiet mute", id: "mute", onclick: () => set(!storage.isMuted()) }, icon, label);
  const show = (/** @type {boolean} */ muted) => {
    write(label, muted ? "Turn the sound on" : "Turn the sound off");
    button.title = label.textContent ?? "";
    wave.style.display = muted ? "none" : "";
    cross.style.display = muted ? "" : "none";
  };
  const set = (/** @type {boolean} */ muted) => {
    storage.saveMuted(muted);
    show(muted);
    play("own");
  };
  show(storage.isMuted());
  return button;
}
