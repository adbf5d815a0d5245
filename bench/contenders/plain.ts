import { agentsByHand } from "../agents/by-hand.js";
import {
  type Call,
  type Contender,
  later,
  numberSchema,
  type Pipe,
  type Run,
  type Step,
  weather,
} from "../contender.js";
import { evaluatedByHand, replayedByHand } from "./evals.js";
import { splitters } from "./plain-splitters.js";

/** What a careful user writes without any library: the lower bound of all others. */
export const plain: Contender = {
  name: "by hand",
  chain,
  watchedChain,
  checkedChain: (steps) => chain(steps.map((step) => (value) => step(numberSchema.parse(value)))),
  guardedChain: (steps) => chain(steps.map(retried)),
  savedChain,
  retried,
  wired: (steps) => async (input) => {
    let last = input;
    for (const step of steps) last = (await step({ last, first: input, one: 1 })).sum;
    return last;
  },
  fanOut: (parts) => async (input) => {
    const results = await Promise.all(parts.map((part) => part(input)));
    let sum = 0;
    for (const result of results) sum += result;
    return sum;
  },
  each,
  items: (step, list) => () => Promise.all(list.map((item) => step(item))),
  savedItems,
  loop: (step, last) => async (input) => {
    let value = input;
    while (value < last) value = await step(value);
    return value;
  },
  branches: (odd, even, count) => async (input) => {
    let value = input;
    for (let n = 0; n < count; n++) value = value % 2 === 1 ? await odd(value) : await even(value);
    return value;
  },
  mcpCall: () => later(async () => (await import("./mcp-by-hand.js")).mcpCall()),
  mcpConnect: (url) => later(async () => (await import("./mcp-by-hand.js")).mcpConnect(await url)),
  tools: (calls) => async () => {
    const messages = await Promise.all(calls.map(callTool));
    return messages.map(({ contentBlocks: [block] }) => block?.result);
  },
  agents: agentsByHand,
  generators: (count) => (source) => {
    let chunks = source;
    for (let n = 0; n < count; n++) chunks = addOne(chunks);
    return sumOf(chunks);
  },
  maps,
  split,
  build: (step, count) => chain(Array.from({ length: count }, () => step)),
  askAndResume,
  savedLoop,
  guarded,
  cached,
  splitters,
  nearest,
  replayed: replayedByHand,
  evaluated: evaluatedByHand,
};

/** The same, but the results stand in a record by the names of their nodes, as at the join of a graph. */
export const plainRecord: Contender = {
  name: "by hand, into a record",
  fanOut: (parts) => {
    const named = parts.map((part, n) => ({ name: `part${n}`, part }));
    return async (input) => {
      const results = await Promise.all(named.map(({ part }) => part(input)));
      const record: Record<string, number> = {};
      for (let n = 0; n < results.length; n++) record[named[n]?.name ?? ""] = results[n] ?? 0;
      let sum = 0;
      for (const name in record) sum += record[name] ?? 0;
      return sum;
    };
  },
};

function chain(steps: readonly Step[]): Run {
  return async (input) => {
    let value = input;
    for (const step of steps) value = await step(value);
    return value;
  };
}

/** What a careful user would add to be told of each function. */
function watchedChain(steps: readonly Step[]): Run {
  const observer = { onStart(_name: string, _input: number) {}, onEnd(_name: string, _output: number) {} };
  const named = steps.map((step, n) => ({ name: `node_${n}`, step }));
  return async (input) => {
    let value = input;
    for (const { name, step } of named) {
      observer.onStart(name, value);
      value = await step(value);
      observer.onEnd(name, value);
    }
    return value;
  };
}

/** After the third failure it is the caller's. */
function retried(step: Step): Run {
  return async (input) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await step(input);
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  };
}

function each(step: Step, count: number, limit: number): () => Promise<number> {
  return async () => {
    let [next, sum] = [0, 0];
    const lane = async (): Promise<void> => {
      while (next < count) {
        const result = await step(next++);
        sum += result;
      }
    };
    await Promise.all(Array.from({ length: Math.min(limit, count) }, lane));
    return sum;
  };
}

/** Parse, validate, call, make text of the output, and put it into a message for the model. */
async function callTool(call: Call) {
  const checked = weather.schema["~standard"].validate(JSON.parse(call.arguments));
  const parsed = checked instanceof Promise ? await checked : checked;
  if (parsed.issues) throw new Error("The arguments do not fit.");
  const result = JSON.stringify(await weather.execute(parsed.value));
  const block = { type: "function_tool_result", callId: call.id, name: weather.name, result, resultType: "json" };
  return { role: "user", contentBlocks: [block] };
}

async function* addOne(chunks: AsyncIterable<number>): AsyncGenerator<number, void> {
  for await (const chunk of chunks) yield chunk + 1;
}

async function sumOf(chunks: AsyncIterable<number>): Promise<number> {
  let sum = 0;
  for await (const chunk of chunks) sum += chunk;
  return sum;
}

function maps(count: number): Pipe {
  const add = (chunk: number): number => chunk + 1;
  return async (source) => {
    let sum = 0;
    for await (const chunk of source) {
      let value = chunk;
      for (let n = 0; n < count; n++) value = add(value);
      sum += value;
    }
    return sum;
  };
}

/** Two readers of one source, by a list of what was read that grows at one end and is dropped at the other. */
function split(first: Step, second: Step): Pipe {
  return async (source) => {
    const iterator = source[Symbol.asyncIterator]();
    interface Cell {
      readonly result: Promise<IteratorResult<number>>;
      next?: Cell | undefined;
    }
    async function* branch(head: Cell, step: Step): AsyncGenerator<number, void> {
      for (let cell = head; ; cell = cell.next ??= { result: iterator.next() }) {
        const { done, value } = await cell.result;
        if (done === true) return;
        yield await step(value);
      }
    }
    const head: Cell = { result: iterator.next() };
    const sums = await Promise.all([sumOf(branch(head, first)), sumOf(branch(head, second))]);
    return sums[0] + sums[1];
  };
}

/** The row that a stopped run is, written as text and read again. */
function askAndResume(): Run {
  const rows = new Map<string, string>();
  let runs = 0;
  return async (input) => {
    const id = `run-${++runs}`;
    const question = { id: crypto.randomUUID(), text: "sure?" };
    rows.set(id, JSON.stringify({ node: "ask", input, question }));
    const found = JSON.parse(rows.get(id) ?? "");
    rows.delete(id);
    return found.input + 1;
  };
}

function savedLoop(step: Step, last: number): Run {
  const rows = new Map<string, string>();
  let runs = 0;
  return async (input) => {
    const id = `run-${++runs}`;
    let value = input;
    for (let count = 0; value < last; count++) {
      value = await step(value);
      rows.set(id, JSON.stringify({ node: "step", step: count, output: value }));
    }
    rows.delete(id);
    return value;
  };
}

/** A timer of its own around each call, and another call if that fails. */
function guarded(step: Step): Run {
  return async (input) => {
    for (let attempt = 1; ; attempt++) {
      let timer: NodeJS.Timeout | undefined;
      try {
        const expired = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error("timed out")), 60_000);
        });
        return await Promise.race([step(input), expired]);
      } catch {
        if (attempt === 3) return 0;
      } finally {
        clearTimeout(timer);
      }
    }
  };
}

/** A map by the hash of the input, of encoded values. */
function cached(step: Step): Run {
  const kept = new Map<string, Uint8Array>();
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  return async (input) => {
    const digest = await crypto.subtle.digest("SHA-256", encoder.encode(JSON.stringify(["node", input])));
    const key = Buffer.from(digest).toString("hex");
    const found = kept.get(key);
    if (found !== undefined) return JSON.parse(decoder.decode(found));
    const value = await step(input);
    kept.set(key, encoder.encode(JSON.stringify(value)));
    return value;
  };
}

function savedChain(steps: readonly Step[]): Run {
  const rows = new Map<string, string>();
  let runs = 0;
  return async (input) => {
    const id = `run-${++runs}`;
    let value = input;
    for (const [n, step] of steps.entries()) {
      value = await step(value);
      rows.set(id, JSON.stringify({ node: `n${n}`, output: value }));
    }
    rows.delete(id);
    return value;
  };
}

/** A row for each item, written as text. */
function savedItems(step: Step, list: readonly number[]): () => Promise<readonly number[]> {
  const rows = new Map<string, string>();
  let runs = 0;
  return async () => {
    const id = `run-${++runs}`;
    const keys = list.map((_item, index) => `${id}:${index}`);
    const results = await Promise.all(
      list.map(async (item, index) => {
        const output = await step(item);
        rows.set(keys[index] ?? "", JSON.stringify({ index, output }));
        return output;
      }),
    );
    for (const key of keys) rows.delete(key);
    return results;
  };
}

/** One long array, and a list of the best that is kept in order. */
function nearest(vectors: readonly Float32Array[], query: Float32Array): () => Promise<readonly number[]> {
  const { length } = query;
  const flat = new Float32Array(vectors.length * length);
  for (const [index, vector] of vectors.entries()) flat.set(vector, index * length);
  const norms = vectors.map((vector) => Math.hypot(...vector));
  return async () => {
    const best: { index: number; score: number }[] = [];
    const own = Math.hypot(...query);
    for (let index = 0; index < vectors.length; index++) {
      let product = 0;
      for (let place = 0; place < length; place++) product += (flat[index * length + place] ?? 0) * (query[place] ?? 0);
      const score = product / (own * (norms[index] ?? 1));
      if (best.length === 10 && score <= (best[9]?.score ?? 0)) continue;
      best.push({ index, score });
      best.sort((one, other) => other.score - one.score);
      if (best.length > 10) best.pop();
    }
    return best.map(({ index }) => index);
  };
}
