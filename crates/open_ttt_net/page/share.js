// A field with a link to copy or share.

import { h } from "./dom.js";
import { toast } from "./notifications.js";

/**
 * @param {object} link
 * @param {string} link.url
 * @param {string} link.label the field's label for screen readers
 * @param {string} link.title the title when shared
 */
export function linkField({ url, label, title }) {
  /** @type {HTMLInputElement} */
  const field = h("input", { type: "text", readonly: true, value: url, "aria-label": label, onfocus: () => field.select() });
  const copy = h("button", { type: "button", onclick: () => copyText(field.value, field) }, "Copy");
  const share =
    "share" in navigator &&
    h("button", { type: "button", class: "quiet", onclick: () => navigator.share({ title, url: field.value }).catch(() => {}) }, "Share…");
  return {
    element: h("div", { class: "link-field" }, field, copy, share),
    /** Shows another address. @param {string} url */
    show: (url) => void (field.value = url),
  };
}

/** @param {string} text @param {HTMLInputElement} field */
async function copyText(text, field) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard API needs a secure origin.
    field.select();
    document.execCommand("copy");
  }
  toast("Link copied.");
}
