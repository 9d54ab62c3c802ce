// A link to give away.

import { h } from "./dom.js";
import { toast } from "./notice.js";

/**
 * @param {object} link
 * @param {string} link.url
 * @param {string} link.label what the field is called
 * @param {string} link.title what a friend is told
 */
export function linkField({ url, label, title }) {
  const field = h("input", { type: "text", readonly: true, value: url, "aria-label": label, onfocus: () => field.select() });
  const copy = h("button", { type: "button", onclick: () => copyText(url, field) }, "Copy");
  const share =
    "share" in navigator &&
    h("button", { type: "button", class: "quiet", onclick: () => navigator.share({ title, url }).catch(() => {}) }, "Share…");
  return h("div", { class: "link-field" }, field, copy, share);
}

/** @param {string} text @param {HTMLInputElement} field */
async function copyText(text, field) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure origin there is no clipboard to write to but this way.
    field.select();
    document.execCommand("copy");
  }
  toast("The link is copied.");
}
