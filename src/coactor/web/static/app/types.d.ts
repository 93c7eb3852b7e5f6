import type { Draft } from "./draft.js";

// The data that the server sends, as far as the page uses it. See /api/openapi.json for all of it.

export interface Move {
  op: string;
  args: number[];
  anyway?: string; // why a rule may be broken
}

export type Point = [number, number];

/** What a proposal rests on: the weights, who proposed and why, and what was predicted. */
export interface Basis {
  version: number;
  proposer: string;
  reason: string;
  chance: number | null;
}

/** A row of the queue. */
export interface Row {
  id: number;
  label: string;
  state: "waiting" | "held" | "draft" | "done";
  basis: Basis;
  asked: number;
  revision: number;
  steps: number;
  effort: number;
  holder: string;
  editor: string;
  /** For whom it was asked, and whose weights it was solved with. */
  asked_for: string;
  solved_for: string;
  /** Whether it would be solved again now: the weights have changed since, or they are another expert's. */
  due: boolean;
  for_another: boolean;
  moves: Move[];
  undone: Move[];
}

/** A proposal with its draft. `problem` and what follows come with the first answer only. */
export interface Proposal extends Row {
  proposed: unknown;
  solution: unknown;
  features: number[];
  change: number[];
  problem: unknown;
  domain: { name: string; parameters: Record<string, unknown> };
  feature_names: string[];
  weights: number[];
  /** 1 for each feature that is counted as it is, -1 for each cost. */
  signs: number[];
  /** The draft as its domain shows it; null if the domain cannot. */
  shown: View[] | null;
  shown_proposed: View[] | null;
  /** The moves in the domain's words. */
  texts: string[] | null;
}

/** What a domain shows of a solution. */
export type View =
  | { kind: "text"; title?: string; text: string }
  | { kind: "list"; title?: string; items: unknown[] }
  | { kind: "table"; title?: string; head: string[]; rows: unknown[][] }
  | { kind: "drawing"; title?: string; size: Point; shapes: Shape[] }
  | GridView;

export interface Shape {
  shape: "line" | "polygon" | "circle" | "box" | "text";
  points?: Point[];
  at?: Point;
  size?: Point;
  radius?: number;
  text?: string;
  title?: string;
  colour?: string;
}

/** A grid of choices, as `GridModel.show` returns it. */
export interface GridView {
  kind: "grid";
  title?: string;
  over: string[];
  choose: string[];
  swaps: string[];
  /** The axis along which blocks lie. */
  along: string;
  /** How many cells a block may have; 1 if there are no blocks. */
  longest: number;
  names: Record<string, string[]>;
  colours: Record<string, Record<string, string>>;
  cells: unknown;
  margins: Margin[];
}

/** Counts beside a grid, for some positions on some of its axes. */
export interface Margin {
  name: string;
  at: Record<string, number[]>;
  counts: unknown;
}

/** A possible edit, in words, what it changes, and the rules it would break. */
export interface Option {
  move: Move;
  text: string;
  change: number[];
  gain: number;
  refused: string | null;
}

/** A page of the queue; the counts are of all pages. */
export interface QueuePage {
  tag: string;
  waiting: number;
  draft: number;
  held: number;
  matching: number;
  drafts: Row[];
  people: string[];
}

/** Who corrected a proposal, and how. */
export interface Work {
  actor: string;
  seconds: number | null;
  gestures: number;
  note: string;
}

/** The result of a tell. Lists leave `change` empty. */
export interface Round {
  proposal: number;
  basis: Basis;
  effort: number;
  estimated: boolean;
  work: Work;
  learn: boolean;
  /** Whose weights were learned. */
  learned_for: string;
  version: number;
  lesson: string;
  change: number[];
  seq: number;
  time: number;
}

export interface EffortTotals {
  finished: number;
  unchanged: number;
  effort: number;
}

/** The effort of all finished proposals, of those in the last days, and of the last few. */
export interface EffortSummary {
  total: EffortTotals;
  recent: EffortTotals;
  last: EffortTotals;
}

/** A study with a simulated expert, to try the page with. */
export interface Trial {
  study: string;
  title: string;
  story: string;
  colleague: string;
  /** Under which name the colleague corrects. */
  actor: string;
}

export interface Summary {
  name: string;
  usable: boolean;
  facts: number;
  version: number;
  open: number;
  told: number;
  untouched: number;
  effort: number;
  domain: { name: string; parameters: Record<string, unknown> };
  signs: number[];
}

export interface Beliefs {
  version: number;
  weights: number[];
  /** Weights in units of their prior standard deviation: comparable between features. */
  matter: number[];
  /** The share of the prior uncertainty that is gone, per feature; null if the learner has none. */
  known: number[] | null;
  feature_names: string[];
}

export interface PersonView {
  name: string;
  /** Each feature's part of all weights, with its sign. */
  shares: number[];
  words: string[];
}

export interface PeopleView {
  /** From 0, one taste for all, to 1, to each their own. */
  difference: number;
  features: string[];
  shared: string[];
  /** Who wants the same, in sentences. */
  together: string[];
  people: PersonView[];
  /** The name of the reader's own row. */
  reader: string | null;
}

export interface Trend {
  sentence: string;
  verdict: string;
  window: number;
  mean: number[];
  low: number[];
  high: number[];
}

/** Means of the first and of the last proposals, and the 95 % interval of the change; `texts` to show. */
export interface Measure {
  name: string;
  first: number;
  last: number;
  low: number;
  high: number;
  texts: { first: string; last: string; low: string; high: string };
}

interface Period {
  proposals: number;
  from: number;
  to: number;
}

/** The report for a team lead. */
export interface Progress {
  proposals: number;
  first: Period | null;
  last: Period | null;
  measures: Measure[];
  weeks: {
    monday: string;
    finished: number;
    effort: number | null;
    seconds: number | null;
    unchanged: number | null;
    texts: { effort: string; seconds: string; unchanged: string };
  }[];
  causes: { feature: string; change: number }[];
  /** Past problems solved again with version 0: edits with and without learning, once all are done. */
  without_learning: {
    proposals: number;
    done: number;
    compared: number;
    with?: number;
    without?: number;
    saved?: number;
    low?: number;
    high?: number;
  };
}

/** What no weights of the present features explain, in words. */
export interface MissingFeatures {
  sentences: string[];
}

export interface Version {
  version: number;
  seq: number;
  time: number;
  how: string;
  actor: string;
  proposal: number | null;
  to: number | null;
  reason: string;
  /** Whose weights changed; empty: those of all. */
  learned_for: string;
}

export interface CalibrationBin {
  low: number;
  high: number;
  proposals: number;
  predicted: number;
  observed: number;
  least: number;
  most: number;
}

export interface Calibration {
  verdict: string;
  sentence: string;
  proposals: number;
  bins: CalibrationBin[];
}

export interface Fact {
  seq: number;
  time: number;
  kind: string;
  actor: string;
  via?: string;
  proposal?: number;
  label?: string;
  version?: number;
  action?: string;
  effort?: number;
  learn?: boolean;
  note?: string;
  to?: number;
  reason?: string;
  revision?: number;
  learned_for?: string;
  settings?: Record<string, unknown>;
}

/** What an editor gets from the page. */
export interface EditorContext {
  draft: Draft;
  /** The line that says what can be done, or what will happen. */
  prompt: HTMLElement;
  editable: () => boolean;
  /** What `prepare` of the editor's module returned. */
  prepared: unknown;
}

/** A route on the ground, in the coordinates of the problem. */
export interface TravelledRoute {
  name: string;
  line: Point[];
  stops: { name: string; at: Point }[];
}

/** A part of the page beside the canvas. */
export interface Panel {
  title: string;
  content: HTMLElement;
  grows?: boolean;
  folded?: boolean;
  /** It is for editing alone: a finished proposal does not have it. */
  edits?: boolean;
}

/** The editor of one kind of solution. */
export interface Editor {
  canvas: HTMLElement;
  panels: Panel[];
  /** Keys and what they do. */
  keys: [string, string][];
  render(data: Proposal): void;
  /** A move in words; `next`: it would be made on the draft as it is. */
  describe(move: Move): string;
  /** The edits in words, one per gesture; by default one per move. */
  history?(moves: Move[]): string[];
  /** What is wrong with the draft, such as an overload. */
  warning?(data: Proposal): string;
  /** Enter was pressed: perform what the prompt asks for. True if there was something. */
  enter?(): boolean;
  /** The routes of a solution, to save as a file; none without coordinates. */
  travelled?(data: Proposal): TravelledRoute[];
}

export interface EditorModule {
  mount(context: EditorContext): Editor;
  prepare?(study: string): Promise<unknown>;
  /** Fields of the problem that the editor does not need. */
  omits?: string[];
}
