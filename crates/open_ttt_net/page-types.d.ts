// The types of the page's JSDoc comments: the JSON of src/protocol, and the
// page's own data. They are not part of the page. Check them with
// `npx -p typescript tsc -p crates/open_ttt_net/jsconfig.json`.

type SeatIndex = 0 | 1;
type SeatName = "a" | "b";
/** Column from the left, row from the bottom or the front, layer or height. */
type Place = [number, number, number];

interface TimeControl {
  initial_ms: number;
  increment_ms?: number;
}

interface Clock {
  left_ms: [number, number];
  /** The seat whose clock is running, and since when, in milliseconds since 1970. */
  running: [SeatName, number] | null;
}

interface GameVerdict {
  winner: SeatName | null;
  by: "rules" | "resignation" | "agreement" | "time" | "abandonment";
}

interface Settings {
  game: string;
  clock?: TimeControl;
  first: SeatName;
  rated?: boolean;
  /** The moves with which each game begins. */
  moves?: string[];
}

type SeatRequest = { person: string } | { computer: string };

interface CreateMatch {
  game: string;
  clock?: TimeControl;
  first?: SeatName;
  seats: [SeatRequest | null, SeatRequest | null];
  listed: boolean;
  rated: boolean;
  /** The moves that lead to the position in which the games begin. */
  moves?: string[];
  key: string;
}

interface JoinMatch {
  player: SeatRequest;
  seat?: SeatName;
  token?: string;
  key: string;
}

interface PairPlayer {
  game: string;
  clock?: TimeControl;
  rated: boolean;
  name: string;
  key: string;
  waiting?: string;
}

interface PlayerRating {
  rating: number;
  deviation: number;
}

interface PlayerProfile {
  player: string;
  games: { game: string; wins: number; draws: number; losses: number; rating?: PlayerRating }[];
}

/** A match began (number 0), or a game of it ended. */
interface PlayedGame {
  match: string;
  number: number;
  at: number;
  game: string;
  seat: SeatName;
  opponent: { name: string; computer?: string; player?: string };
  verdict: GameVerdict | null;
  rating?: { before: PlayerRating; after: PlayerRating };
}

/** A page of a player's history, newest first. */
interface PlayerHistory {
  total: number;
  games: PlayedGame[];
}

interface SeatAssignment {
  match: string;
  seat: SeatName | null;
  token: string | null;
  path: string;
}

interface MatchSummary {
  match: string;
  game: string;
  name: string | null;
  /** The other player, in a game in progress. */
  opponent?: string;
  clock?: TimeControl;
  rated?: boolean;
  player?: string;
  since: number;
}

interface MatchList {
  total: number;
  from: number;
  matches: MatchSummary[];
}

interface GameInfo {
  game: string;
  title: string;
  rules: string;
  strongest: string;
  board: BoardView;
  /** A board in mid-game. */
  sample: BoardView;
  parameters: GameParameter[];
  /** How many come with the game. */
  puzzles: number;
  /** Whether the page's WebAssembly module has this game. */
  local: boolean;
}

/** A match against a computer, kept in the browser. */
interface KeptMatch {
  match: { settings: Settings; entries: object[] };
  /** When it last changed, in milliseconds since 1970. */
  at: number;
  game: string;
  computer: string;
  /** The person's. */
  seat: SeatIndex;
  verdict: GameVerdict | null;
  number: number;
  isTurn: boolean;
}

interface GameParameter {
  name: string;
  meaning: string;
  allowed: { range: [number, number] } | { one_of: number[] };
  default: number;
}

interface MatchStatus {
  view: MatchView;
}

/** A page of a game's boards: at least one. */
interface GameFrames {
  record: {
    number: number;
    first: SeatName;
    moves: string[];
    /** So many of the moves led to the position in which the game began. */
    given?: number;
    verdict: GameVerdict | null;
  };
  /** The ply of the first board, 0 if missing. */
  from?: number;
  boards: BoardView[];
}

interface PositionAnalysis {
  result: "win" | "draw" | "loss" | "unknown";
  plies: number | null;
  margin: number | null;
  best: string[];
  exact: boolean;
  /** What every move is worth, the best first, if asked for. */
  values?: MoveWorth[];
  hint?: { move: string; why: string; line: string[] };
}

/** What a move is worth to the side that plays it. */
interface MoveWorth {
  move: string;
  result: "win" | "draw" | "loss" | "unknown";
  plies: number | null;
  margin: number | null;
  exact: boolean;
  /** Points from 0 to 1. */
  expected: number;
  uncertainty: number;
}

/** A position as it is drawn; seat A is the side that moves first. */
interface PositionBoard {
  moves: string[];
  result: "first" | "second" | "draw" | null;
  board: BoardView;
}

interface GamePuzzle {
  game: string;
  number: number;
  count: number;
  rating: number;
  stars: number;
  goal: "win" | "draw" | "fastest" | "defend";
  plies: number | null;
  moves: string[];
  solution: string[];
  /** The position, and the board after each move of the solution. */
  boards: BoardView[];
}

interface GameReview {
  /** Of the first and the second side, in percent. */
  accuracy: [number | null, number | null];
  /** The index of the move that decided the game. */
  turning_point: number | null;
  moves: ReviewedMove[];
}

interface ReviewedMove {
  side: 0 | 1;
  quality: "best" | "good" | "inaccuracy" | "mistake" | "blunder";
  lost: number;
  played: MoveWorth;
  best: MoveWorth;
  line: string[];
  first_expects: number;
}

interface GridLayout {
  kind: "grid";
  columns: string[];
  rows: string[];
  block?: number;
}

interface LayersLayout {
  kind: "layers";
  layers: string[];
  columns: string[];
  rows: string[];
}

interface StacksLayout {
  kind: "stacks";
  stacks: { x: number; y: number; label: string }[];
  height: number;
}

interface HexagonsLayout {
  kind: "hexagons";
  columns: string[];
  rows: string[];
  bottom_and_top?: SeatName;
}

interface PointsLayout {
  kind: "points";
  columns: string[];
  rows: string[];
  links: [Place, Place][];
}

interface DotsLayout {
  kind: "dots";
  columns: string[];
  rows: string[];
}

type LayoutView = GridLayout | HexagonsLayout | PointsLayout | DotsLayout | LayersLayout | StacksLayout;

type ShapeView = "cross" | "ring" | "disc" | "king" | "text" | { figure: { tall: boolean; square: boolean; hollow: boolean } };

interface PieceView {
  mark: string;
  shape: ShapeView;
  color?: string;
  count?: number;
}

interface CellView {
  at: Place;
  owner?: SeatName;
  /** Missing if it is one usual piece of the owner. */
  piece?: PieceView;
  label?: string;
  tint?: SeatName | "dark" | "marked";
  /** The move that this cell alone chooses. */
  move?: string;
}

interface TrayView {
  title: string;
  seat?: SeatName;
  cells: CellView[];
}

interface ChoiceView {
  move: string;
  path: Place[];
  label?: string;
}

interface LineView {
  seat?: SeatName;
  places: Place[];
}

interface BoardView {
  layout: LayoutView;
  side_names: [string, string];
  marks: [string, string];
  shapes: [ShapeView, ShapeView];
  colors: [string, string];
  first: SeatName;
  to_move?: SeatName;
  cells: CellView[];
  trays?: TrayView[];
  /** The legal moves that are not the move of a cell. */
  choices?: ChoiceView[];
  last: Place[];
  lines: LineView[];
  block_lines?: LineView[];
  points?: [number, number];
  status?: string;
}

interface SeatView {
  name: string;
  computer?: string;
}

interface MatchView {
  settings: Settings;
  number: number;
  seats: [SeatView | null, SeatView | null];
  score: { wins: [number, number]; draws: number };
  clock?: Clock;
  to_move: SeatName | null;
  verdict: GameVerdict | null;
  draw_offer: SeatName | null;
  take_back: SeatName | null;
  claim: [SeatName, number] | null;
  rematch: [boolean, boolean];
  moves: string[];
  movers: SeatName[];
  board: BoardView;
}

interface MoveAct {
  move: { text: string };
}

/** An act that a player proposes. */
type PlayerAct =
  | MoveAct
  | "resign"
  | "offer_draw"
  | "accept_draw"
  | "refuse_draw"
  | "ask_take_back"
  | "grant_take_back"
  | "refuse_take_back"
  | "rematch"
  | "claim";

type Act =
  | PlayerAct
  | { join: { seat: SeatName; player: SeatView } }
  | "stay"
  | "forfeit"
  | "time_out"
  | { return_time: { ms: number } };

interface Transition {
  at: number;
  by: SeatName | "server";
  act: Act;
}

interface Change {
  sequence: number;
  client: string;
  number: number;
  transition: Transition;
  view?: MatchView;
}

interface Presence {
  seats: [boolean, boolean];
  watchers: number;
}

type Conflict = string | { game: string };

interface ErrorReport {
  code: string;
  text: string;
}

interface Welcome {
  type: "welcome";
  seat: SeatName | null;
  now: number;
  sequence: number;
  state: { view: MatchView };
  presence: Presence;
}

type ServerMessage =
  | Welcome
  | ({ type: "change" } & Change)
  | { type: "accepted"; number: number; change: Change }
  | { type: "duplicate" | "overtaken"; number: number; sequence: number }
  | { type: "refused"; number: number; conflict: Conflict; text: string }
  | { type: "delayed"; number: number; retry_ms: number }
  | ({ type: "presence" } & Presence)
  | { type: "notice"; text: string }
  | { type: "pong"; number: number; now: number }
  | ({ type: "error" } & ErrorReport);

/** A proposal without an answer. */
interface Pending {
  /** Counts this client's proposals. */
  number: number;
  /** The sequence of the state that the proposal was made for. */
  base: number;
  act: PlayerAct;
}

/** The part of a replica that survives a reload. */
interface SavedReplica {
  client: string;
  numbers?: number;
  pending?: Pending | null;
}

/** A change that was applied, and the view before it. */
interface Applied {
  transition: Transition;
  before: MatchView | null;
}

interface Rollback extends Partial<Applied> {
  kind: "rolled_back";
  act: PlayerAct;
  /** Why the server refused the act; missing if another change came first. */
  refusal?: { conflict: Conflict; text: string };
}

/** The effect of a server message on the replica. */
type ReplicaUpdate =
  | { kind: "unchanged" }
  | ({ kind: "advanced" } & Partial<Applied>)
  | ({ kind: "confirmed" } & Partial<Applied>)
  | Rollback
  | { kind: "delayed"; wait: number };

type ConnectionPhase = "connecting" | "open" | "lost" | "ended";

/** A seat of this browser's player. */
interface SavedSeat {
  /** The match. */
  id: string;
  token: string;
  game?: string;
  /** Missing if it was saved by an earlier version. */
  seat?: SeatName;
  /** When it was taken, in milliseconds since 1970. */
  at: number;
}

/** What a player waits for, and in which match. */
interface SavedPairing {
  match: string;
  wanted: Omit<PairPlayer, "key">;
}

/** A cell's position in the drawing. */
interface Spot {
  form: "square" | "hole" | "tile" | "stack" | "hexagon" | "point" | "dot" | "across" | "upright" | "box" | "slot";
  x: number;
  y: number;
  /** Maps a drawing of 100 by 100 around the origin onto the cell. */
  matrix: string;
  /** The deepest spot is painted first. */
  depth: number;
  /** The size of a piece, 1 in front. */
  scale: number;
}

interface Geometry {
  kind: "grid" | "drop" | "hexagons" | "points" | "dots" | "layers" | "stacks";
  width: number;
  height: number;
  /** The font size of the labels. */
  type: number;
  /** Whether pieces fall, so that the whole column is one target. */
  falls: boolean;
  /** Whether the board can be turned. */
  turns?: boolean;
  spot: (place: Place) => Spot;
  /** The cell's name for screen readers: `b2`, `peg A, height 1`. */
  name: (place: Place) => string;
  /** The cell's name in few characters: `b2`, `A1`. */
  shortName: (place: Place) => string;
  labels: { x: number; y: number; text: string }[];
  /** Squares of cells, from the bottom left, each row from the left. */
  blocks: { x: number; y: number; size: number; name: string }[];
}

/** A cell of a board that is drawn. */
interface Cell {
  at: Place;
  spot: Spot;
  element: SVGGElement;
  /** The part of it that shows the cell's state. */
  ground: SVGElement;
  /** What covers the piece: the panel around a hole. */
  front: SVGElement | null;
  label: SVGElement | null;
  /** The cell's name for screen readers. */
  name: string;
  piece: Look | null;
  /** Whether a click on it chooses a move or a part of one. */
  open: boolean;
  /** The pending move shown here. */
  pending: string | null;
  /** What is drawn, to redraw only what has changed. */
  look?: string;
  tint?: string;
}

/** A piece with its owner and its colour. */
interface Look {
  seat: SeatIndex | null;
  mark: string;
  shape: ShapeView;
  color: string;
  count: number;
}

/** The places chosen so far, and what can follow. */
interface PathSelection {
  /** The keys of the places. */
  path: string[];
  /** The choices that begin with them. */
  open: ChoiceView[];
  /** The keys of the places that can follow. */
  next: Set<string>;
  /** The choices that end here and have a label. */
  buttons: ChoiceView[];
  /** The only move that is left, if its path is complete. */
  move: string | null;
}

/** What a board shows. */
interface Scene {
  board: BoardView;
  /** The board's name for screen readers. */
  title: string;
  /** The seat that may choose a cell. */
  mover: SeatIndex | null;
  pending: { text: string; seat: SeatIndex } | null;
  /** Moves to highlight. */
  hints?: string[];
  /** What the moves are worth, the best first. */
  values?: MoveWorth[];
  /** Whether the upper side of a flat board is shown at the bottom. */
  isTurned?: boolean;
}

/** A group of options of which one is chosen. */
interface Choice<V> {
  element: HTMLElement;
  value: V;
}

type Sound = "own" | "other" | "ask" | "refusal" | "win" | "loss" | "draw";

/** A value of an element's attribute, or a listener. */
type Attribute =
  | string
  | number
  | boolean
  | null
  | undefined
  | { listener(event: Event): unknown }["listener"];

type Child = string | number | Node | null | undefined | false;
