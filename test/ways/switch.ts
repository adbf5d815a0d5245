import type { Handler } from "../../src/callbacks/handler.js";
import {
  type Answer,
  answerCalls,
  closeFastLane,
  type Method,
  memoryStore,
  type Original,
  originalOf,
  type PlanSettings,
  RunControl,
  type RunOptions,
  StreamReader,
  saveByReference,
  settingsOf,
} from "./executor.js";
import { referenceCodec } from "./references.js";
import type { Combination, Mode, Way } from "./ways.js";

/** In which way runs are started from now on; `undefined`: as their callers say. */
export type TurnSwitch = (combination: Combination | undefined) => void;

/** Puts the switch in: it stands on `undefined`. */
export function installSwitch(): TurnSwitch {
  let current: Combination | undefined;
  saveByReference();
  closeFastLane(() => current?.way === "scheduled");
  answerCalls((runnable, method, given) =>
    current === undefined ? undefined : answerIn(current, runnable, method, given),
  );
  return (combination) => {
    current = combination;
  };
}

function answerIn(
  { way, mode }: Combination,
  runnable: object,
  method: Method,
  given: readonly unknown[],
): Answer | undefined {
  const isResumed = method === "resume" || method === "resumeStream";
  const options = given[isResumed ? 2 : 1];
  if (!isRootOptions(options)) return undefined;
  const start = startIn(way, runnable, options, isResumed);
  if (!isResumed) return { value: run(mode, method, start, given[0]) };
  return { value: resume(mode, method, start, given[0], given[1]) };
}

/** A child run is what its parent makes it, and options that are wrong stay wrong. */
function isRootOptions(options: unknown): options is RunOptions | undefined {
  if (options === undefined) return true;
  return typeof options === "object" && options !== null && !Array.isArray(options) && !("parent" in options);
}

interface Start {
  readonly runnable: Original;
  readonly options: RunOptions | undefined;
}

function startIn(way: Way, runnable: object, options: RunOptions | undefined, isResumed: boolean): Start {
  const asItIs = { runnable: originalFor(runnable, "as it is"), options };
  switch (way) {
    case "plain":
    case "scheduled":
      return asItIs;
    case "watched":
      return { ...asItIs, options: watched(options, blind) };
    case "watched-streams":
      return { ...asItIs, options: watched(options, uninterested) };
    case "controlled":
      return { ...asItIs, options: { ...options, control: options?.control ?? new RunControl() } };
    case "saved-exit":
      return saved("exit", runnable, options, isResumed) ?? asItIs;
    case "saved-step":
      return saved("step", runnable, options, isResumed) ?? asItIs;
    default:
      return way satisfies never;
  }
}

function watched(options: RunOptions | undefined, handler: Handler): RunOptions {
  const { callbacks = [] } = options ?? {};
  return Array.isArray(callbacks) ? { ...options, callbacks: [...callbacks, handler] } : { ...options };
}

const nothing = (): undefined => undefined;

/** Hears of everything, and does nothing. */
const blind: Handler = { onStart: nothing, onEnd: nothing, onError: nothing, onInterrupt: nothing, onEvent: nothing };

/** The same, and gets a copy of each stream, which it leaves at once. */
const uninterested: Handler = {
  ...blind,
  onStartWithStreamInput: (_info, stream) => void stream.cancel(),
  onEndWithStreamOutput: (_info, stream) => void stream.cancel(),
};

/**
 * What has an id of its own stays in its own store, where it is saved at least as often as its graph says; what is not to be
 * saved goes to a store that nobody else sees.
 */
function saved(
  durability: PlanSettings["durability"],
  runnable: object,
  options: RunOptions | undefined,
  isResumed: boolean,
): Start | undefined {
  if (settingsOf(runnable) === undefined) return undefined;
  if (isResumed || isAboutCheckpoints(options)) {
    return durability === "step" ? { runnable: originalFor(runnable, "step"), options } : undefined;
  }
  return {
    runnable: originalFor(runnable, `${durability ?? "exit"}, in a store of its own`),
    options: { ...options, checkpointId: nextId() },
  };
}

function isAboutCheckpoints(options: RunOptions | undefined): boolean {
  const { checkpointId, writeToCheckpointId, forceNewRun, takeover } = options ?? {};
  return [checkpointId, writeToCheckpointId, forceNewRun, takeover].some((given) => given !== undefined);
}

let count = 0;
const nextId = (): string => {
  count += 1;
  return `way-${count}`;
};

type Variant = "as it is" | "step" | `${NonNullable<PlanSettings["durability"]>}, in a store of its own`;

const originals = new WeakMap<object, Map<Variant, Original>>();

function originalFor(runnable: object, variant: Variant): Original {
  const known = originals.get(runnable) ?? new Map<Variant, Original>();
  originals.set(runnable, known);
  const original = known.get(variant) ?? originalOf(runnable, settingsFor(variant));
  known.set(variant, original);
  return original;
}

function settingsFor(variant: Variant): Parameters<typeof originalOf>[1] {
  switch (variant) {
    case "as it is":
      return {};
    case "step":
      return { durability: "step" };
    case "exit, in a store of its own":
      return { durability: "exit", store: memoryStore(), codec: referenceCodec };
    case "step, in a store of its own":
      return { durability: "step", store: memoryStore(), codec: referenceCodec };
    default:
      return variant satisfies never;
  }
}

/** What one mode can answer in the place of another, chunk by chunk the same. */
function run(
  mode: Mode,
  method: Exclude<Method, "resume" | "resumeStream">,
  { runnable, options }: Start,
  input: unknown,
) {
  const streamed = input as StreamReader<unknown>;
  switch (`${method} by ${mode}` as const) {
    case "invoke by collect":
      return runnable.collect(oneChunk(input), options);
    case "invoke by stream":
      return runnable.stream(input, options).concat();
    case "invoke by transform":
      return runnable.transform(oneChunk(input), options).concat();
    case "stream by transform":
      return runnable.transform(oneChunk(input), options);
    case "collect by stream":
    case "collect by transform":
      return runnable.transform(streamed, options).concat();
    default:
      return runnable[method](streamed, options);
  }
}

function resume(
  mode: Mode,
  method: "resume" | "resumeStream",
  { runnable, options }: Start,
  id: unknown,
  answers: unknown,
) {
  if (method === "resumeStream") return runnable.resumeStream(id, answers, options);
  return mode === "stream" || mode === "transform"
    ? runnable.resumeStream(id, answers, options).concat()
    : runnable.resume(id, answers, options);
}

const oneChunk = (value: unknown): StreamReader<unknown> => StreamReader.from([value]);
