import { z } from "zod";
import type { AgentWorks } from "./agents/tasks.js";

/** A node of the graphs that are measured. */
export type Step = (value: number) => number | Promise<number>;
/** A node that gets three fields. */
export type WiredStep = (given: Wired) => Promise<{ readonly sum: number }>;
export interface Wired {
  readonly last: number;
  readonly first: number;
  readonly one: number;
}
export type Run = (input: number) => Promise<number>;
/** Reads numbers from a source, sends them through the nodes, and gives the sum of what comes out. */
export type Pipe = (source: AsyncIterable<number>) => Promise<number>;
export type Work = () => unknown;
export type SplitStrategy =
  | "recursive"
  | "character"
  | "token"
  | "sentence"
  | "markdown"
  | "semantic-markdown"
  | "html"
  | "latex"
  | "json";

/**
 * One way to do what the workloads ask for: by hand, with this library, with another one. Each method builds what is measured
 * and gives the function that runs it. What a contender cannot do, it leaves out.
 */
export interface Contender {
  readonly name: string;
  /** Functions one after another. */
  readonly chain?: ((steps: readonly Step[]) => Run) | undefined;
  /** The same for functions that give no promises, if there is another way for them. */
  readonly syncChain?: ((steps: readonly Step[]) => Run) | undefined;
  /** As `chain`, with one observer that is told when each of them starts and ends, and does nothing. */
  readonly watchedChain?: ((steps: readonly Step[]) => Run) | undefined;
  /** As `chain`; what each of them gets is checked by a schema first. */
  readonly checkedChain?: ((steps: readonly Step[]) => Run) | undefined;
  /** As `chain`; each of them may be tried three times. */
  readonly guardedChain?: ((steps: readonly Step[]) => Run) | undefined;
  /** As `chain`; in addition the run is saved in memory after each of them, so that it could go on from there. */
  readonly savedChain?: ((steps: readonly Step[]) => Run) | undefined;
  /** Calls one function, which may be tried three times, without a pause. */
  readonly retried?: ((step: Step) => Run) | undefined;
  /** Ten functions in a line, each of which gets a record of three fields: what the last one gave, the first input, and a 1. */
  readonly wired?: ((steps: readonly WiredStep[]) => Run) | undefined;
  /** All functions get the input at the same time; the result is the sum of theirs. */
  readonly fanOut?: ((parts: readonly Step[]) => Run) | undefined;
  /** One function is called with 0, 1, 2 … below `count`, at most `limit` at a time; the result is the sum. */
  readonly each?: ((step: Step, count: number, limit: number) => () => Promise<number>) | undefined;
  /** One function is called with each item of a list, all at once; the result is the list of what it gives. */
  readonly items?: ((step: Step, list: readonly number[]) => () => Promise<readonly number[]>) | undefined;
  /** As `items`; in addition what each gives is saved in memory, so that it would not be called again after a crash. */
  readonly savedItems?: ((step: Step, list: readonly number[]) => () => Promise<readonly number[]>) | undefined;
  /** A function is called with its own result until that reaches `last`. */
  readonly loop?: ((step: Step, last: number) => Run) | undefined;
  /** So many times: to `odd` with an odd number, to `even` with an even one. */
  readonly branches?: ((odd: Step, even: Step, count: number) => Run) | undefined;
  /** Calls that a model asks for, side by side: arguments are parsed and validated. The outputs, in the order of the calls. */
  readonly tools?: ((calls: readonly Call[]) => () => Promise<readonly unknown[]>) | undefined;
  /** So many nodes, each an async generator that adds 1 to every chunk (or what comes nearest to one). */
  readonly generators?: ((count: number) => Pipe) | undefined;
  /** So many nodes, each a function that adds 1 to a chunk. */
  readonly maps?: ((count: number) => Pipe) | undefined;
  /** Every chunk goes to a node that adds 1 and to one that adds 2; both outputs are merged. */
  readonly split?: ((first: Step, second: Step) => Pipe) | undefined;
  /** One node gives so many chunks; whoever reads along is told of each. The result is the sum of what comes out. */
  readonly told?: ((count: number) => Run) | undefined;
  /** Turns of agents, and what belongs to them. */
  readonly agents?: AgentWorks | undefined;
  /** Makes a line of so many nodes ready to run. */
  readonly build?: ((step: Step, count: number) => Run) | undefined;
  /** Asks whether to add 1 to the input, stops, keeps what is needed in memory, is given the answer, and goes on. */
  readonly askAndResume?: (() => Run) | undefined;
  /** As `loop`; in addition the run is saved in memory after each step, so that it could go on from there. */
  readonly savedLoop?: ((step: Step, last: number) => Run) | undefined;
  /** The same, and each save stays readable when others have followed. */
  readonly historyLoop?: ((step: Step, last: number) => Run) | undefined;
  /** As `items`, saved in a SQLite file. */
  readonly sqliteItems?: ((step: Step, list: readonly number[]) => () => Promise<readonly number[]>) | undefined;
  /** A function that would be tried again, given up after a time, and replaced. */
  readonly guarded?: ((step: Step) => Run) | undefined;
  /** A function that is called once for each input; what it gave is kept encoded. */
  readonly cached?: ((step: Step) => Run) | undefined;
  /** A client of the official SDK calls the tool of an MCP server in the same process. */
  readonly mcpCall?: (() => () => Promise<unknown>) | undefined;
  /** Connects an MCP server on this machine, makes its tools ready to use, and closes. How many there are. */
  readonly mcpConnect?: ((url: Promise<string>) => () => Promise<number>) | undefined;
  /** Splits a document into pieces of at most so many characters, or for "token" so many tokens. */
  readonly splitters?:
    | { readonly [Strategy in SplitStrategy]?: (text: string, size: number) => () => Promise<readonly string[]> }
    | undefined;
  /** The answer to one of so many requests of a model that are kept in files, another one each time. */
  readonly replayed?: ((count: number) => () => Promise<string>) | undefined;
  /** Runs so many cases that do nothing, scores them, and gives the share that passed. */
  readonly evaluated?: ((count: number) => () => Promise<number>) | undefined;
  /** The numbers of the ten vectors that are nearest to a query by their cosine, the nearest first. */
  readonly nearest?:
    | ((vectors: readonly Float32Array[], query: Float32Array) => () => Promise<readonly number[]>)
    | undefined;
}

/** What answers a request without a network. */
export type McpFetch = (request: Request) => Promise<Response>;

/** Work whose packages are loaded when it is made, and not before: they would weigh on everything else that is measured. */
export function later<T>(make: () => Promise<() => Promise<T>>): () => Promise<T> {
  const made = make();
  return async () => (await made)();
}

/** A call as models ask for it. */
export interface Call {
  readonly id: string;
  readonly arguments: string;
}

/** What `checkedChain` checks. */
export const numberSchema = z.number();

/** The tool that is called: it says how many letters a city has. */
export const weather = {
  name: "weather",
  description: "Current weather of a city.",
  schema: z.object({ city: z.string(), days: z.number().int().optional() }),
  execute: async ({ city }: { city: string; days?: number | undefined }): Promise<{ celsius: number }> => ({
    celsius: city.length,
  }),
} as const;
