/**
 * Loads the module, once, before anything else is used. An address here and below may be relative
 * to the page, in Node.js to this module.
 */
export function load(
  source?: BufferSource | WebAssembly.Module | URL | string,
): Promise<void>;

/** Loads the larger module instead, which also has networks and puzzles, and `answer`. */
export function loadAll(
  source?: BufferSource | WebAssembly.Module | URL | string,
): Promise<void>;

/**
 * Loads the book of `'connect4'`, `'pegs'` or `'qubic'`, without which these have no perfect
 * player and their first moves no exact values at once.
 */
export function loadBook(key: string, source?: BufferSource | URL | string): Promise<void>;

/** The keys of the games that play from a book that hasn't been loaded. */
export function missingBooks(): string[];

/**
 * Loads a network for players `'net:NAME'`, into the larger module. Without a source, the name
 * is the key of a game that comes with one: `'ttt'`, `'connect4'`, `'pegs'`.
 */
export function loadNetwork(name: string, source?: BufferSource | URL | string): Promise<void>;

/** The keys of the games. */
export function games(): string[];

/**
 * Answers a request as a match server does: `{ judge: { game, moves, values: true } }`. The
 * protocol of the server describes requests and answers. It needs the larger module.
 */
export function answer(request: object): unknown;
/** The rules of the game with this key, in a few lines. */
export function rules(key: string): string;

export type Side = 'first' | 'second';

/** How a game ends under best play. */
export type Result = 'win' | 'draw' | 'loss' | 'unknown';

/** What a move is worth to the side that plays it. */
export interface MoveValue {
  /** The move in the game's notation. */
  move: string;
  /** How the game ends under best play, if that is proved. */
  result: Result;
  /** The number of moves to the end, this one included, if it is known. */
  plies: number | null;
  /** By how many points the side wins, in a game that counts them. */
  margin: number | null;
  /** Whether the result is proved. */
  exact: boolean;
  /** The points that the side can expect, 0 to 1. */
  expected: number;
  /** By how much that may be wrong, as far as the search shows it. */
  uncertainty: number;
}

/** How long to search: the number of positions. */
export interface Budget {
  nodes?: number;
}

/** A game: its position and the moves that led to it. */
export class Game {
  /** A key with any parameters: `'connect4'`, `'mnk(m=5,n=5,k=4)'`, and moves to begin with. */
  constructor(name: string, moves?: string);
  /** Plays moves, separated by spaces. Those before an illegal one are played. */
  play(moves: string): this;
  /** Takes the last move back; false if there is none. */
  undo(): boolean;
  /** The side to move; when the game is over, the one that would move next. */
  readonly toMove: Side;
  /** Who has won; null while the game goes on. */
  readonly outcome: Side | 'draw' | null;
  /** The name of a side in this game: `'X'`, `'Red'`. */
  sideName(side: Side): string;
  /** The legal moves; none when the game is over. */
  readonly legalMoves: string[];
  /** The moves so far. */
  readonly history: string[];
  /** The board as text of several lines. */
  readonly board: string;
  /** What every legal move is worth, the best first. */
  values(budget?: Budget): MoveValue[];
  /** A good move and why, as a sentence. */
  hint(budget?: Budget): string;
  /** Gives the memory back at once. */
  free(): void;
}

/** A computer player by name: `'perfect'`, `'hard'`, `'mcts(iterations=1000)'`, `'random'`. */
export class Player {
  constructor(game: Game, name: string);
  /** The move that the player chooses; it isn't played. */
  choose(game: Game): string;
  /** Gives the memory back at once. */
  free(): void;
}
