import type { Handler, RunInfo, StreamReader } from "kumiko";
import { expect } from "vitest";

/** What a handler does with what it gets; all but the last take streams, and none takes its copies for granted. */
export type HandlerKind = "values" | "fails" | "reads streams" | "leaves streams" | "drops streams";

export const handlerKinds: readonly HandlerKind[] = [
  "values",
  "values",
  "fails",
  "reads streams",
  "leaves streams",
  "drops streams",
];

/** One call of a handler. `copied` is the output as a stream, `read` the end of that copy. */
interface Entry {
  readonly handler: number;
  readonly timing: "start" | "end" | "error" | "copied" | "read";
  readonly info: RunInfo;
}

/** What all handlers of a run heard. */
export class HandlerLog {
  readonly entries: Entry[] = [];
  readonly handlers: readonly Handler[];
  readonly kinds: readonly HandlerKind[];

  constructor(kinds: readonly HandlerKind[]) {
    this.kinds = kinds;
    this.handlers = kinds.map((kind, index) => loggingHandler(kind, index, this.entries));
  }

  /** Every run starts once and ends once, for each handler. A copy that was not read to its end may have any end. */
  checkEnds(): void {
    const heard = groupBy(this.entries, ({ handler, info }) => `${handler} ${info.runId}`);
    for (const entries of heard.values()) {
      const count = (...timings: Entry["timing"][]) => entries.filter(({ timing }) => timings.includes(timing)).length;
      const kind = this.kinds[entries[0]?.handler ?? -1];
      expect(count("start")).toBe(1);
      expect(count("copied")).toBeLessThanOrEqual(1);
      if (kind === "leaves streams" || kind === "drops streams") {
        expect(count("end", "error")).toBeLessThanOrEqual(1);
        expect(count("end", "error", "copied")).toBeGreaterThanOrEqual(1);
      } else {
        expect(count("end", "error", "read")).toBe(1);
      }
    }
    const runs = this.kinds.map(
      (_, index) => this.entries.filter(({ handler, timing }) => handler === index && timing === "start").length,
    );
    expect(new Set(runs).size).toBeLessThanOrEqual(1);
  }

  /** At each timing of a run handlers are called in the order of their list. */
  checkOrder(): void {
    const calls = groupBy(
      this.entries.filter(({ timing }) => timing !== "read"),
      ({ timing, info }) => `${timing} ${info.runId}`,
    );
    for (const entries of calls.values()) {
      const handlers = entries.map(({ handler }) => handler);
      expect(handlers).toEqual([...handlers].sort((a, b) => a - b));
    }
  }

  /** What failed or was stopped ends after all that ran in it, and nothing starts in it any more. */
  checkNesting(): void {
    for (const [index, kind] of this.kinds.entries()) {
      if (kind !== "values") continue;
      const own = this.entries.filter(({ handler }) => handler === index);
      own.forEach(({ timing, info: { runId } }, place) => {
        if (timing !== "error") return;
        const later = own.slice(place + 1).filter(({ info: { parentRunId } }) => parentRunId === runId);
        expect(later.map((entry) => `${entry.timing} of ${entry.info.name}`)).toEqual([]);
      });
    }
  }
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** A handler that writes what it hears into a log that it shares with others. */
function loggingHandler(kind: HandlerKind, handler: number, log: Entry[]): Handler {
  const write = (timing: Entry["timing"]) => (info: RunInfo) => {
    log.push({ handler, timing, info });
    if (kind === "fails") return fail(log.length);
    return undefined;
  };
  const values = { onStart: write("start"), onEnd: write("end"), onError: write("error") };
  if (kind === "values" || kind === "fails") return values;
  return {
    ...values,
    onStartWithStreamInput(info, stream) {
      write("start")(info);
      void use(kind, stream);
    },
    onEndWithStreamOutput(info, stream) {
      write("copied")(info);
      void use(kind, stream).then((whole) => whole && write("read")(info));
    },
  };
}

/** Handlers may throw and reject: nobody must mind. */
function fail(count: number): unknown {
  if (count % 2 === 0) throw new Error("a handler failed");
  return Promise.reject(new Error("a handler failed later"));
}

/** Whether the stream came to its end. */
async function use(kind: HandlerKind, stream: StreamReader<unknown>): Promise<boolean> {
  try {
    if (kind === "drops streams") return false;
    for await (const _chunk of stream) if (kind === "leaves streams") return false;
    return true;
  } catch {
    return false;
  }
}
