import { type Handler, lambda, type Runnable, type RunOptions, StreamReader } from "kumiko";
import { runnableConformance, type Work } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const modes = ["invoke", "stream", "collect", "transform"] as const;
type RunnableMode = (typeof modes)[number];
type Shout = Runnable<string, string>;
/** Makes a Runnable with one fault, in one mode where the check is about one. */
type Defect = (work: Work, mode: RunnableMode) => Shout;

const sound = (work: Work): Shout =>
  lambda({ invoke: (text: string, ctx) => work(ctx).then(() => text.toUpperCase()) });

/** A sound Runnable, but for some of its methods. */
const faulty = (work: Work, faults: Partial<Shout>): Shout => {
  const { invoke, stream, collect, transform } = bound(sound(work));
  return { invoke, stream, collect, transform, ...faults };
};

const bound = (runnable: Shout): Shout => ({
  invoke: (...args) => runnable.invoke(...args),
  stream: (...args) => runnable.stream(...args),
  collect: (...args) => runnable.collect(...args),
  transform: (...args) => runnable.transform(...args),
});

/** Changes the options that a run is given. */
const withOptions =
  (change: (options: RunOptions) => RunOptions): Defect =>
  (work) => {
    const { invoke, stream, collect, transform } = bound(sound(work));
    return {
      invoke: (input, options = {}) => invoke(input, change(options)),
      stream: (input, options = {}) => stream(input, change(options)),
      collect: (input, options = {}) => collect(input, change(options)),
      transform: (input, options = {}) => transform(input, change(options)),
    };
  };

const without = (...names: (keyof RunOptions)[]): Defect =>
  withOptions((options) =>
    Object.fromEntries(Object.entries(options).filter(([name]) => !names.some((n) => n === name))),
  );

const wrapped = (wrap: (handler: Handler) => Handler): Defect =>
  withOptions(({ callbacks = [], ...options }) => ({ ...options, callbacks: callbacks.map(wrap) }));

/** Does something to the output of one mode. */
const changed =
  (change: (output: Promise<string>, again: () => Promise<string>) => Promise<string>): Defect =>
  (work, mode) => {
    const good = bound(sound(work));
    const inOne = (options?: RunOptions) => change(good.invoke("hello", options), () => good.invoke("hello"));
    const streamed = (options?: RunOptions) =>
      StreamReader.from(
        (async function* () {
          yield await inOne(options);
        })(),
      );
    const faults: Record<RunnableMode, Partial<Shout>> = {
      invoke: { invoke: (_input, options) => inOne(options) },
      collect: { collect: (_input, options) => inOne(options) },
      stream: { stream: (_input, options) => streamed(options) },
      transform: { transform: (_input, options) => streamed(options) },
    };
    return faulty(work, faults[mode]);
  };

/** Gives another reader in the modes that stream. */
const reading =
  (open: (start: (options?: RunOptions) => StreamReader<string>, options: RunOptions) => unknown): Defect =>
  (work) => {
    const good = bound(sound(work));
    return faulty(work, {
      stream: (input, options = {}) => open((changedTo = options) => good.stream(input, changedTo), options) as never,
      transform: (input, options = {}) =>
        open((changedTo = options) => good.transform(input, changedTo), options) as never,
    });
  };

const eager = reading((start) => {
  const whole = start().concat();
  whole.catch(() => undefined);
  return StreamReader.from(onceReady(whole));
});

async function* onceReady(whole: Promise<string>): AsyncGenerator<string, void> {
  yield await whole;
}

class Rereadable extends StreamReader<string> {
  override concat(): Promise<string> {
    return Promise.resolve("HELLO");
  }
}

class WithoutReason extends StreamReader<string> {
  override cancel(): Promise<void> {
    return super.cancel();
  }
}

class Waiting extends StreamReader<string> {
  #pending: Promise<unknown> = Promise.resolve();

  override next(): Promise<IteratorResult<string, undefined>> {
    const result = super.next();
    this.#pending = result;
    return result;
  }

  override async cancel(): Promise<void> {
    await this.#pending;
  }
}

/** Reads the whole input before it runs, and hides what is wrong with it. */
const detached: Defect = (work) => {
  const good = bound(sound(work));
  return faulty(work, {
    transform: (input, options) => {
      const text = (async () => {
        let whole = "";
        try {
          for await (const chunk of StreamReader.from(input)) whole += chunk;
        } catch {
          // as if it had ended
        }
        return whole;
      })();
      return StreamReader.from(onceReady(text.then((whole) => good.invoke(whole, options))));
    },
  });
};

const muddled: Defect = (work) => {
  let running = 0;
  return lambda({
    invoke: async (text: string, ctx) => {
      running += 1;
      await work(ctx);
      const mixed = running > 1;
      return mixed ? "mixed up" : text.toUpperCase();
    },
  });
};

const listening: Defect = withOptions((options) => {
  options.signal?.addEventListener("abort", () => undefined);
  return options;
});

const throwing = reading((start, options) => {
  if (options.maxSteps === 0) throw new RangeError("maxSteps");
  return start();
});

const once: Defect = (work) => {
  const used = new Set<unknown>();
  return withOptions((options) => {
    if (options.parent !== undefined && used.has(options.key)) throw new Error("This key was used before.");
    used.add(options.key);
    return options;
  })(work, "invoke");
};

/** A handler that hands everything on, but for some timings. */
function handingOn(handler: Handler, changes: Handler): Handler {
  const timings = [
    "onStart",
    "onEnd",
    "onError",
    "onStartWithStreamInput",
    "onEndWithStreamOutput",
  ] as const satisfies (keyof Handler)[];
  const own = timings.filter((timing) => handler[timing] !== undefined);
  return { ...Object.fromEntries(own.map((timing) => [timing, handler[timing]?.bind(handler)])), ...changes };
}

const twice = (timing: "onStart" | "onEnd" | "onError"): Defect =>
  wrapped((handler) =>
    handingOn(handler, {
      [timing]: (info: never, value: never, span: never) => {
        handler[timing]?.(info, value, span);
        return handler[timing]?.(info, value, span);
      },
    }),
  );

const silent = (...timings: (keyof Handler)[]): Defect =>
  wrapped((handler) => handingOn(handler, Object.fromEntries(timings.map((timing) => [timing, () => undefined]))));

const blurred: Defect = wrapped((handler) =>
  handingOn(handler, { onEnd: (info, _value, span) => handler.onEnd?.(info, "something else", span) }),
);

/** For each check, by what its name says behind the mode: the Runnables that it must not let pass. */
const defects: Readonly<Record<string, readonly Defect[]>> = {
  "returns the output": [changed(async (output) => `${await output}!`)],
  "runs once": [changed((_output, again) => again())],
  "fails with an error that leads to the cause": [
    changed((output) => output.catch(() => "HELLO")),
    changed((output) => output.catch(() => Promise.reject(new Error("lost")))),
  ],
  "concurrent runs each return their output": [muddled],
  "returns a reader at once": [reading((start) => Promise.resolve(start())), reading((start) => ({ reader: start() }))],
  "does nothing before the first read": [eager],
  "checks no option before the first read": [throwing, without("maxSteps")],
  "that is cancelled before the first read runs nothing and calls no handler": [eager],
  "can be read once": [reading((start) => new Rereadable(start().takeSource()))],
  "leaving early aborts the signal with an AbortError": [
    reading((start) => StreamReader.from(onceReady(start().concat()))),
    reading((start) => Object.assign(start(), { cancel: () => Promise.resolve() })),
  ],
  "cancelling aborts the signal with the reason": [reading((start) => new WithoutReason(start().takeSource()))],
  "cancelling while it works does not wait for the work": [reading((start) => new Waiting(start().takeSource()))],
  "fails when its input fails": [detached],
  "stops its input when it is cancelled": [detached],
  "stops its input when it is cancelled before the first read": [detached],
  "with an aborted signal calls nothing and rejects with the reason": [without("signal")],
  "rejects with the reason at the abort, even if the work continues": [without("signal")],
  "rejects with a TimeoutError after timeoutMs": [without("timeoutMs")],
  "leaves no listener on the signal": [listening],
  "notifies a handler of each start and each end once": [
    without("callbacks"),
    twice("onStart"),
    twice("onEnd"),
    silent("onEnd"),
  ],
  "notifies a handler of streams of each start and each end once": [
    without("callbacks"),
    twice("onStart"),
    silent("onStart", "onStartWithStreamInput"),
  ],
  "that fails ends each run once, the outermost with onError": [
    without("callbacks"),
    twice("onError"),
    silent("onError"),
  ],
  "that is aborted ends each run once, the outermost with the reason": [
    without("callbacks"),
    twice("onError"),
    silent("onError"),
  ],
  "passes its output to handlers": [blurred, without("callbacks")],
  "passes a record of request values to the work": [without("requestContext")],
  "rejects an option that does not exist before anything runs": [without("noSuchOption" as never)],
  "rejects options for a kind that does not exist before anything runs": [without("options")],
  "rejects a path that leads nowhere before anything runs": [without("nodes")],
  "rejects a maxSteps below 1 before anything runs": [without("maxSteps")],
  "rejects a negative timeoutMs before anything runs": [without("timeoutMs")],
  "rejects a key without a parent before anything runs": [without("key")],
  "rejects a parent that is not a context before anything runs": [without("parent")],
  "as a child returns the output": [
    withOptions((options) => (options.parent === undefined ? options : { ...options, timeoutMs: -1 })),
  ],
  "the address of a child is below that of its parent": [without("parent", "key")],
  "the handlers of the parent are called for a child": [without("parent", "key")],
  "a child sees the request values of its parent": [without("parent", "key")],
  "as a child is aborted with its parent": [without("parent", "key")],
  "two children at a time need different keys": [without("parent", "key")],
  "two children at a time with different keys both run": [
    withOptions((options) => (options.parent === undefined ? options : { ...options, key: "same" })),
  ],
  "a child may reuse the key of one that has ended": [once],
};

/** A check, the mode it is about, and what it says of it. */
function read(name: string): { readonly mode: RunnableMode; readonly claim: string } {
  const mode = modes.find((each) => name.startsWith(`${each} `) || name.includes(` ${each} `)) ?? "invoke";
  return { mode, claim: name.replace(new RegExp(`(^| )${mode} `), "$1").trim() };
}

const checkNames = runnableConformance(sound, { input: "hello", output: "HELLO" }).map(({ name }) => name);

describe.concurrent("A check of runnableConformance refuses what it is there for", () => {
  const cases = checkNames.flatMap((name) => {
    const { mode, claim } = read(name);
    return (defects[claim] ?? [undefined]).map((defect, n) => ({ name, n, mode, defect }));
  });

  it.each(cases)("$name ($n)", async ({ name, mode, defect }) => {
    expect(defect, "There is no defect for this check").toBeDefined();
    const checks = runnableConformance((work) => (defect ?? sound)(work, mode), { input: "hello", output: "HELLO" });
    await expect(checks.find((check) => check.name === name)?.run()).rejects.toThrow();
  });
});

it("knows a defect for no check that does not exist", () => {
  const claims = new Set(checkNames.map((name) => read(name).claim));
  expect(Object.keys(defects).filter((claim) => !claims.has(claim))).toEqual([]);
});
