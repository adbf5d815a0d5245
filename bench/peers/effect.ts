import { Effect, Schema, Stream } from "effect";
import { type Call, type Contender, type Pipe, type Step, weather } from "../contender.js";

/** A function that gives a promise, as an effect. */
const call = (step: Step, value: number) => Effect.promise(() => step(value) as Promise<number>);

/** A function that may be tried three times. */
const retried = (step: Step, value: number) =>
  Effect.retry(
    Effect.tryPromise(() => step(value) as Promise<number>),
    { times: 2 },
  );

export const effect: Contender = {
  name: "Effect",
  chain: (steps) => (input) =>
    Effect.runPromise(
      Effect.gen(function* () {
        let value = input;
        for (const step of steps) value = yield* call(step, value);
        return value;
      }),
    ),
  syncChain: (steps) => (input) =>
    Effect.runPromise(
      Effect.gen(function* () {
        let value = input;
        for (const step of steps) value = yield* Effect.sync(() => step(value) as number);
        return value;
      }),
    ),
  watchedChain: (steps) => (input) =>
    Effect.runPromise(
      Effect.gen(function* () {
        let value = input;
        for (const [n, step] of steps.entries()) value = yield* Effect.withSpan(call(step, value), `node_${n}`);
        return value;
      }),
    ),
  guardedChain: (steps) => (input) =>
    Effect.runPromise(
      Effect.gen(function* () {
        let value = input;
        for (const step of steps) value = yield* retried(step, value);
        return value;
      }),
    ),
  retried: (step) => (input) => Effect.runPromise(retried(step, input)),
  items: (step, list) => () =>
    Effect.runPromise(Effect.forEach(list, (item) => call(step, item), { concurrency: "unbounded" })),
  fanOut: (parts) => (input) =>
    Effect.runPromise(
      Effect.all(
        parts.map((part) => call(part, input)),
        { concurrency: "unbounded" },
      ).pipe(Effect.map(sum)),
    ),
  each: (step, count, limit) => {
    const inputs = Array.from({ length: count }, (_, n) => n);
    return () =>
      Effect.runPromise(Effect.forEach(inputs, (n) => call(step, n), { concurrency: limit }).pipe(Effect.map(sum)));
  },
  loop: (step, last) => (input) =>
    Effect.runPromise(
      Effect.gen(function* () {
        let value = input;
        while (value < last) value = yield* call(step, value);
        return value;
      }),
    ),
  branches: (odd, even, count) => (input) =>
    Effect.runPromise(
      Effect.gen(function* () {
        let value = input;
        for (let n = 0; n < count; n++) value = yield* value % 2 === 1 ? call(odd, value) : call(even, value);
        return value;
      }),
    ),
  tools,
  generators: (count) => pipeOf((chunk) => Stream.mapEffect(chunk, (value) => Effect.succeed(value + 1)), count),
  maps: (count) => pipeOf((chunk) => Stream.map(chunk, (value) => value + 1), count),
  split: (first, second) => (source) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const [left, right] = yield* Stream.broadcastN(read(source), { n: 2, capacity: 16 });
          const sums = [Stream.mapEffect(left, (n) => call(first, n)), Stream.mapEffect(right, (n) => call(second, n))];
          return sum(yield* Effect.all(sums.map(Stream.runSum), { concurrency: "unbounded" }));
        }),
      ),
    ),
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const read = (source: AsyncIterable<number>) => Stream.fromAsyncIterable(source, (error) => error);

function pipeOf(node: (chunks: Stream.Stream<number, unknown>) => Stream.Stream<number, unknown>, count: number): Pipe {
  return (source) => {
    let chunks: Stream.Stream<number, unknown> = read(source);
    for (let n = 0; n < count; n++) chunks = node(chunks);
    return Effect.runPromise(Stream.runSum(chunks));
  };
}

/** With the parts that everybody uses: `Toolkit` of effect/ai, made for this, takes ten times as long. */
function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const parameters = Schema.Struct({ city: Schema.String, days: Schema.optionalKey(Schema.Int) });
  const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(parameters));
  const outputOf = (call: Call) =>
    parse(call.arguments).pipe(
      Effect.flatMap((input) => Effect.promise(() => weather.execute(input))),
      Effect.map((output) => JSON.stringify(output)),
    );
  return () => Effect.runPromise(Effect.forEach(calls, outputOf, { concurrency: "unbounded" }));
}
