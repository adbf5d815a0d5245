import fc from "fast-check";
import { type Handler, StreamReader } from "kumiko";
import { expect, it } from "vitest";
import { open, watchersOf } from "./listener.js";

type Span = ReturnType<typeof open>;

const ends = ["end", "error", "interrupt", "abort"] as const;

/** One thing that happens to the n-th run (modulo how many there are). */
const action = fc.record({
  run: fc.nat(30),
  does: fc.constantFrom("open", "open", "start", "start", "stream", "read", "leave", "abortInside", "event", ...ends),
});

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** A handler that writes down timings by run, and may throw or reject wherever it is called. */
function recorder(timingsByRun: Map<string, string[]>, streams: boolean, fails: (timing: string) => unknown): Handler {
  const record = (timing: string) => (info: { readonly name: string }) => {
    timingsByRun.set(info.name, [...(timingsByRun.get(info.name) ?? []), timing]);
    return fails(timing);
  };
  const values: Handler = {
    onStart: record("start"),
    onEnd: record("end"),
    onError: record("error"),
    onInterrupt: record("interrupt"),
    onEvent: record("event"),
  };
  if (!streams) return values;
  return {
    ...values,
    onEndWithStreamOutput: async (info, stream) => {
      letGo(record("stream")(info));
      for await (const _chunk of stream);
      letGo(record("end")(info));
    },
  };
}

/** A rejection of the fake that nobody else would look at. */
function letGo(returned: unknown): void {
  if (returned instanceof Promise) returned.catch(() => undefined);
}

class Runs {
  readonly all: Span[];
  private readonly outputs = new Map<Span, StreamReader<string>>();

  constructor(root: Span) {
    this.all = [root];
  }

  async apply({ run, does }: Action): Promise<void> {
    const watch = this.all[run % this.all.length] as Span;
    const output = this.outputs.get(watch);
    switch (does) {
      case "open":
        this.all.push(open(`run ${this.all.length}`, watch.handlers, watch));
        return;
      case "stream":
        if (output === undefined) this.outputs.set(watch, watch.outputStream(StreamReader.from(["a", "b"])));
        return;
      case "read":
        await output?.next().catch(() => {});
        return;
      case "leave":
        await output?.cancel(new Error("left"));
        return;
      case "abortInside":
        return watch.abortInside(new Error("aborted"));
      default:
        return watch[does](new Error("value"));
    }
  }
}

function* perRun(heard: readonly Map<string, string[]>[]): Generator<readonly string[]> {
  for (const timingsByRun of heard) yield* timingsByRun.values();
}

const failure = fc.constantFrom(
  () => undefined,
  () => Promise.reject(new Error("handler")),
  () => {
    throw new Error("handler");
  },
);

it("ends every run that started exactly once for every handler, whatever happens in whatever order", async () => {
  const handlers = fc.array(fc.record({ streams: fc.boolean(), fails: failure }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(handlers, fc.array(action, { maxLength: 60 }), async (given, actions) => {
      const heard = given.map(() => new Map<string, string[]>());
      const watchers = watchersOf(
        given.map(({ streams, fails }, index) => recorder(heard[index] as Map<string, string[]>, streams, fails)),
        () => {},
      );
      const runs = new Runs(open("root", watchers));
      for (const next of actions) await runs.apply(next);
      for (const watch of runs.all) watch.abort(new Error("last"));
      await new Promise(setImmediate);

      expect(runs.all.every(({ closed }) => closed)).toBe(true);
      for (const timings of perRun(heard)) {
        expect(timings[0]).toBe("start");
        expect(timings.filter((timing) => timing === "start")).toHaveLength(1);
        expect(timings.filter((timing) => ["end", "error", "interrupt"].includes(timing))).toHaveLength(1);
      }
      const started = heard.map((timingsByRun) => timingsByRun.size);
      expect(new Set(started).size).toBe(1);
    }),
  );
});

it("never ends an aborted run before what runs inside it", async () => {
  const parents = fc.array(fc.nat(20), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(parents, async (given) => {
      const order: string[] = [];
      const watchers = watchersOf([{ onError: (info) => order.push(info.name) }]);
      const all = [open("0", watchers)];
      const parentOf = new Map<string, string>();
      for (const [index, parent] of given.entries()) {
        const outer = all[parent % all.length] as Span;
        parentOf.set(String(index + 1), outer.info.name);
        all.push(open(String(index + 1), watchers, outer));
      }
      for (const watch of all) watch.start(0);
      all[0]?.abort(new Error("stop"));
      expect(order).toHaveLength(all.length);
      for (const [child, parent] of parentOf) expect(order.indexOf(child)).toBeLessThan(order.indexOf(parent));
    }),
  );
});
