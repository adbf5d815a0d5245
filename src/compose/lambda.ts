import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import { bareRunnable } from "../run/bare-runnable.js";
import type { DeclaredConcat } from "../schema/concat/rule.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { invalidOption } from "./errors.js";
import { concatAdvice, isDeclaredConcat } from "./plan/node-settings.js";
import type { NodeModes } from "./plan/plan.js";
import type { Runnable } from "./runnable.js";
import type { ChunkedRunnable } from "./types/chunked.js";
import type { JoinedBy } from "./types/joined.js";
import type { HasInner, SameAsInput } from "./types/node-shape.js";

/** The modes that a lambda implements: at least one. */
export interface LambdaModes<I, O> {
  /** Value in, value out. */
  readonly invoke?: ((input: I, ctx: NodeContext) => O | Promise<O>) | undefined;
  /** Value in, stream out. */
  readonly stream?: ((input: I, ctx: NodeContext) => StreamSource<O> | Promise<StreamSource<O>>) | undefined;
  /** Stream in, value out. */
  readonly collect?: ((input: StreamReader<I>, ctx: NodeContext) => O | Promise<O>) | undefined;
  /** Stream in, stream out. */
  readonly transform?:
    | ((input: StreamReader<I>, ctx: NodeContext) => StreamSource<O> | Promise<StreamSource<O>>)
    | undefined;
}

/** The modes of a lambda that only streams. The option `concat` declares how its chunks are joined. @internal */
interface StreamingModes<I, Chunk> extends Pick<LambdaModes<I, Chunk>, "stream" | "transform"> {
  readonly invoke?: undefined;
  readonly collect?: undefined;
}

/** Options of {@link lambda}. */
export interface LambdaOptions {
  /** How its chunks are joined to one value. */
  readonly concat?: DeclaredConcat | undefined;
  /** Its `RunInfo.type` in traces. @default "" */
  readonly type?: string | undefined;
}

/**
 * Makes a Runnable from one to four functions, one per mode. Missing modes are derived from the given ones. (A plain function can
 * be used as a node directly.)
 *
 * @example
 * const upper = lambda({
 *   invoke: (text: string) => text.toUpperCase(),
 *   transform: async function* (chunks: StreamReader<string>) {
 *     for await (const chunk of chunks) yield chunk.toUpperCase();
 *   },
 * });
 */
export function lambda<I, Chunk, const Concat extends DeclaredConcat>(
  modes: StreamingModes<I, Chunk>,
  options: LambdaOptions & { readonly concat: Concat },
): ChunkedRunnable<I, JoinedBy<Chunk, Concat>, Chunk>;
export function lambda<I, O>(modes: LambdaModes<I, O>, options?: LambdaOptions): Runnable<I, O>;
export function lambda<I, O>(modes: LambdaModes<I, O>, options: LambdaOptions = {}): Runnable<I, O> {
  const { concat, type = "" } = checkLambdaOptions(options);
  return bareRunnable<I, O>({ component: "lambda", type, concat, body: { kind: "modes", ...checkModes(modes) } });
}

function checkLambdaOptions(options: LambdaOptions): LambdaOptions {
  checkOptions("a lambda", options, ["concat", "type"]);
  if (!isDeclaredConcat(options.concat)) throw invalidOption(`The options of a lambda: ${concatAdvice}`);
  if (options.type !== undefined && typeof options.type !== "string") {
    throw invalidOption("The options of a lambda: type must be a string.");
  }
  return options;
}

const modeNames = ["invoke", "stream", "collect", "transform"] as const;

function checkModes(modes: unknown): NodeModes {
  if (typeof modes !== "object" || modes === null) {
    throw invalidOption(
      "lambda takes the modes as an object: lambda({ invoke }). A plain function can be used as a node directly.",
    );
  }
  const given = Object.entries(modes).filter(([, run]) => run !== undefined);
  if (given.length === 0)
    throw invalidOption("A lambda needs to have at least one of invoke, stream, collect and transform.");
  for (const [name, run] of given) {
    if (!modeNames.some((mode) => mode === name)) {
      throw invalidOption(`"${name}" is not a mode of a lambda. Modes: ${modeNames.join(", ")}.`);
    }
    if (typeof run !== "function") throw invalidOption(`The mode ${name} of a lambda must be a function.`);
  }
  return Object.fromEntries(given);
}

/**
 * Makes a Runnable that maps a stream chunk by chunk. For a whole value, the function is called once.
 *
 * @example
 * const upper = mapChunks((text: string) => text.toUpperCase());
 */
export function mapChunks<I, O>(map: (chunk: I, ctx: NodeContext) => O | Promise<O>): Runnable<I, O> {
  if (typeof map !== "function") throw invalidOption("mapChunks needs a function of one chunk.");
  return bareRunnable<I, O>({ component: "lambda", type: "", body: { kind: "map", map } });
}

/** A passthrough without a type argument: the type of its output is the type of its input. */
export type Passthrough = Runnable<unknown, unknown> & HasInner<SameAsInput>;

/**
 * Makes a Runnable that returns its input; a stream stays a stream. It does not call handlers.
 *
 * Without a type argument, its type in a Graph comes from the edges into it, which must be added before those that leave it, and
 * in a Chain from the step before. Elsewhere, pass a type argument.
 *
 * @example
 * const graph = new Graph<string, string>()
 *   .addNode("same", passthrough<string>())
 *   .addEdge(START, "same")
 *   .addEdge("same", END);
 */
export function passthrough(): Passthrough;
export function passthrough<T>(): Runnable<T, T>;
export function passthrough(): Runnable<never, unknown> {
  return bareRunnable<never, unknown>({ component: "passthrough", type: "", body: { kind: "passthrough" } });
}
