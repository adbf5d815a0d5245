import { Chain, events, lambda, mapChunks, pipe, StreamReader } from "kumiko";
import type { Scenarios } from "./scenario.js";

const times = 100_000;

/** Streams that nobody reads to the end. */
export const streamScenarios: Scenarios = {
  "stream that is cancelled before it is read": { times, prepare: () => () => stream().cancel() },
  "stream that is cancelled after one chunk": { times, prepare: () => () => readOneAndCancel(stream()) },
  "stream whose consumer breaks": { times, prepare: () => () => readOneAndBreak(stream()) },
  "stream that is dropped after one chunk": { times, prepare: () => () => readOneAndDrop(stream()) },
  "copy of which one reader is left": { times, prepare: () => oneCopyLeft },
  "copies that are both cancelled": { times, prepare: () => bothCopiesCancelled },
  "merge that is cancelled after one chunk": { times, prepare: () => merged },
  "pipe whose reader goes": { times, prepare: () => pipeWithoutReader },
  "pipe whose writer waits for a reader that goes": { times, prepare: () => pipeWithWaitingWriter },
  "web stream that is cancelled after one chunk": { times, prepare: () => webStream },
  "streamed run that is cancelled before it is read": { times, prepare: () => streamedRuns((run) => run().cancel()) },
  "streamed run that is cancelled after one chunk": {
    times,
    prepare: () => streamedRuns((run) => readOneAndCancel(run())),
  },
  "streamed run whose consumer breaks": { times, prepare: () => streamedRuns((run) => readOneAndBreak(run())) },
  "watched streamed run whose consumer breaks": { times, prepare: watchedRuns },
  "events of a run, left early": { times, prepare: leftEvents },
};

async function* numbers(): AsyncGenerator<number, undefined> {
  for (let n = 0; n < 5; n++) yield n;
}

async function* addOne(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk + 1;
}

const stream = (): StreamReader<number> => StreamReader.from(addOne(StreamReader.from(numbers()))).map((n) => n + 1);

async function readOneAndCancel(reader: StreamReader<unknown>): Promise<void> {
  await reader.next();
  await reader.cancel();
}

async function readOneAndBreak(reader: StreamReader<unknown>): Promise<void> {
  for await (const _ of reader) break;
}

async function readOneAndDrop(reader: StreamReader<unknown>): Promise<void> {
  await reader.next();
}

async function oneCopyLeft(): Promise<void> {
  const [left, right] = stream().copy(2);
  await left.next();
  void left.cancel();
  for await (const _ of right);
}

async function bothCopiesCancelled(): Promise<void> {
  const [left, right] = stream().copy(2);
  await left.next();
  await Promise.all([left.cancel(), right.cancel()]);
}

function merged(): Promise<void> {
  return readOneAndCancel(StreamReader.merge([stream(), stream()]));
}

async function pipeWithoutReader(): Promise<void> {
  const { reader, writer } = pipe<number>();
  void writer.write(1);
  await readOneAndCancel(reader);
  await writer.write(2);
}

async function pipeWithWaitingWriter(): Promise<void> {
  const { reader, writer } = pipe<number>({ capacity: 1 });
  const written = [1, 2, 3].map((chunk) => writer.write(chunk));
  await readOneAndCancel(reader);
  await Promise.all(written);
}

async function webStream(): Promise<void> {
  const reader = stream().toReadableStream().getReader();
  await reader.read();
  await reader.cancel();
}

function streamingChain() {
  const node = () => lambda({ transform: (chunks: StreamReader<number>) => addOne(chunks) });
  return new Chain<number>()
    .append(node())
    .append(mapChunks((n: number) => n + 1))
    .append(node())
    .compile();
}

/** All runs share a signal: a run that does not end would stay in its list. */
function streamedRuns(use: (run: () => StreamReader<number>) => unknown) {
  const chain = streamingChain();
  const { signal } = new AbortController();
  return () => use(() => chain.transform(numbers(), { signal }));
}

function watchedRuns() {
  const chain = streamingChain();
  const handlers = [
    { onStart: () => "span", onEnd() {}, onError() {} },
    {
      onStartWithStreamInput() {},
      onEndWithStreamOutput: (_: unknown, output: StreamReader<unknown>) => void output.cancel(),
    },
  ];
  return () => readOneAndBreak(chain.transform(numbers(), { callbacks: handlers }));
}

function leftEvents() {
  const chain = streamingChain();
  const { signal } = new AbortController();
  return () => readOneAndBreak(events(chain, 0, { signal }));
}
