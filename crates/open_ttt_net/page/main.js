// Opens the lobby, a match, the puzzles or an error page, depending on the address.

import { byId, h, replace } from "./dom.js";
import { Lobby } from "./lobby.js";
import { MatchPage } from "./match.js";
import { parsePosition } from "./links.js";
import { isPlayerLink, keyOfLink } from "./player-key.js";

const MATCH = /^\/m\/([A-Za-z0-9_-]{1,32})\/?$/;
const TOKEN = /^#([0-9a-f]{32})$/;
/** A position of a match: `?game=2&move=17`. */
const POSITION = /^\?game=(\d{1,6})(?:&move=(\d{1,6}))?$/;

// After everything the first view needs.
if ("serviceWorker" in navigator) addEventListener("load", () => navigator.serviceWorker.register("/service-worker.js").catch(() => {}));

// A private link that is typed into the address of this very page changes nothing but the part
// that the page has read and removed: it is read anew.
addEventListener("hashchange", () => (TOKEN.test(location.hash) || isPlayerLink()) && location.reload());

const root = byId("main");
const id = MATCH.exec(location.pathname)?.[1];
/** The position that the address of an analysis or a lesson tells. */
const position = parsePosition(location.search);
if (id) {
  const token = TOKEN.exec(location.hash)?.[1];
  // The token is secret: remove it from the address bar and the history.
  if (token) history.replaceState(null, "", location.pathname);
  const [, number, ply] = POSITION.exec(location.search) ?? [];
  const shown = Number(number) > 0 ? { number: Number(number), ply: Number(ply ?? 0) } : undefined;
  new MatchPage(id, root, token, shown).open();
} else if (location.pathname === "/") {
  new Lobby(root, keyOfLink()).open();
} else if (position && location.pathname === "/analysis") {
  const { AnalysisPage } = await import("./analysis.js");
  new AnalysisPage(root, position).open();
} else if (position && location.pathname === "/learn") {
  const { LessonPage } = await import("./lesson.js");
  new LessonPage(root, position.game).open();
} else if (/^\/puzzles\/?$/.test(location.pathname)) {
  // Seldom the first page: loaded only here.
  const { PuzzlePage } = await import("./puzzles.js");
  new PuzzlePage(root).open();
} else {
  document.title = "Page not found – open_ttt";
  const home = h("a", { class: "button main", href: "/" }, "All games");
  replace(root, h("div", { class: "card lone" }, h("h1", {}, "There is nothing at this address."), h("p", {}, "Check the link."), home));
}
