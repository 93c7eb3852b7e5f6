import type { Draft } from "./draft.js";

// The data that the server sends, as far as the page uses it. See /api/openapi.json for all of it.

export interface Move {
  op: string;
  args: number[];
  /** Why it is made although it breaks a rule. */
  anyway?: string;
  /** What a "keep" locks and a "free" unlocks. */
  parts?: string[][];
  /** The solution that a "replan" led to. */
  to?: unknown;
  /** In words, of those that the editor has no words for. */
  text?: string;
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
  /** The parts that people locked, those that edits brought about, and all of them if no editor knows them. */
  locked: string[][];
  own: string[][];
  parts?: string[][];
  /** Whether parts can be kept. */
  keeps: boolean;
}

/** What a domain shows of a solution. */
export type View =
  | { kind: "text"; title?: string; text: string }
  | { kind: "list"; title?: string; items: unknown[] }
  | { kind: "table"; title?: string; head: string[]; rows: unknown[][] }
  | { kind: "drawing"; title?: string; size: Point; shapes: Shape[] }
  | GridView
  | RoutesView;

/** Routes as the domain "plan" shows them. */
export interface RoutesView {
  kind: "routes";
  title?: string;
  routes: RouteTimes[];
  /** The rules that are broken, in sentences. */
  broken: string[];
}

/** A route; without times it has loads only. */
export interface RouteTimes {
  load: number[];
  capacity: number[];
  /** Its sum of each feature of the arcs. */
  amounts: number[];
  start?: number;
  end?: number;
  /** The end of the shift. */
  until?: number | null;
  /** When each stop is reached, when its service begins and ends, and the minutes late. */
  stops?: number[][];
}

/** What a move would lead to. */
export interface Preview extends Option {
  shown: View[] | null;
}

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
  /** What the model shows in cells (axis null), or beside the names on one axis. */
  marks: { name: string; symbol: string; axis: string | null; at: number[] }[];
  /** The rules that are broken, where, and by which cells. */
  broken: { rule: string; place: string; amount: number; cells: number[] }[];
}

/** Counts beside a grid, for some positions on some of its axes. */
export interface Margin {
  name: string;
  at: Record<string, number[]>;
  counts: unknown;
  /** What the counts should at least be. */
  need?: unknown;
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
  /** Who made each edit, if several people did. */
  authors: string[];
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
  /** For how many weeks people have worked on it already: it is there for its report. */
  weeks: number;
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
  control: number;
}

/** What is known about one feature. */
export interface Belief {
  feature: string;
  weight: number;
  /** From 1, wanted as much as anything, to -1, avoided as much. */
  taste: number;
  words: string;
  worth: string;
  /** The probability that the taste has this sign. */
  sure: number | null;
  /** Proposals whose correction shows it most. */
  behind: number[];
}

export interface Beliefs {
  version: number;
  features: Belief[];
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

/** The running mean of the edits after each proposal. */
export interface Course {
  window: number;
  mean: number[];
  low: number[];
  high: number[];
}

/** The proposals of a week or of a person. */
export interface Group {
  name: string;
  finished: number;
  controls: number;
  unread: number;
  texts: { effort: string; seconds: string; unchanged: string; minutes: string };
  /** Of a person. */
  weeks: Group[];
}

/** Whether there is less to correct; the server has written every sentence and number. */
export interface Report {
  verdict: "less" | "more" | "unclear";
  headline: string;
  notes: string[];
  proposals: number;
  control: number;
  measures: { name: string; texts: { first: string; last: string } }[];
  weeks: Group[];
  people: Group[];
  course: Course;
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
  feature?: string;
  wish?: string;
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
  /** It asks something: it is open on a phone too. */
  asks?: boolean;
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
  /** The parts that an element stands for, or else what is chosen; `onward`: from there on, to solve again. */
  partsAt?(element: Element | null, onward?: boolean): string[][];
  /** Show what a re-plan would lead to; null: the draft is drawn next. */
  preview?(data: Proposal | null): void;
  /** What can be solved again alone, such as "this route". */
  only?: string;
  /** A part in words; its names by default. */
  partName?(part: string[]): string;
  /** Enter was pressed: perform what the prompt asks for. True if there was something. */
  enter?(): boolean;
  /** Show what causes a feature, by its number. */
  light?(feature: number): void;
  /** Whether an edit that breaks a rule may be made nevertheless. */
  insists?: boolean;
  /** Whether it needs the whole width: then the panels are folded at first. */
  wide?: boolean;
  /** The routes of a solution, to save as a file; none without coordinates. */
  travelled?(data: Proposal): TravelledRoute[];
}

export interface EditorModule {
  mount(context: EditorContext): Editor;
  prepare?(study: string): Promise<unknown>;
  /** Fields of the problem that the editor does not need. */
  omits?: string[];
}
