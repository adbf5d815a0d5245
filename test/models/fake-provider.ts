import type { AiSdkModel, AiSdkVersion } from "kumiko/models";

export type Part = Readonly<Record<string, unknown>>;

export interface FakeOptions {
  readonly version?: AiSdkVersion;
  readonly provider?: string;
  readonly modelId?: string;
}

/** A model of a provider package that answers as it is told: one list of parts, or error, per call; the last one goes on. */
export interface FakeProvider extends AiSdkModel {
  /** The options of each call. */
  readonly calls: Part[];
}

type Answer = readonly unknown[] | Error | ReadableStream<unknown>;

export function fakeProvider(answers: readonly Answer[], options: FakeOptions = {}): FakeProvider {
  const { version = "v4", provider = "fake.chat", modelId = "one" } = options;
  const calls: Part[] = [];
  const next = (call: Part): Answer => {
    calls.push(call);
    return answers[Math.min(calls.length, answers.length) - 1] ?? [];
  };
  return {
    specificationVersion: version,
    provider,
    modelId,
    calls,
    doStream: async (call: Part) => {
      const answer = next(call);
      if (answer instanceof Error) throw answer;
      return { stream: answer instanceof ReadableStream ? answer : streamOf(answer) };
    },
    doGenerate: async (call: Part) => {
      const answer = next(call);
      if (answer instanceof Error) throw answer;
      const { content = [], ...rest } = (Array.isArray(answer) ? answer[0] : {}) as Part;
      return { content, response: { id: "r1" }, finishReason: stop, usage: usage(3, 4), warnings: [], ...rest };
    },
  };
}

/** An error among the parts breaks the stream there. */
export function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  const left = [...parts];
  return new ReadableStream(
    {
      pull(controller) {
        const part = left.shift();
        if (part === undefined) controller.close();
        else if (part instanceof Error) controller.error(part);
        else controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
}

export const stop = { unified: "stop", raw: "stop" };

export const usage = (input: number, output: number): Part => ({
  inputTokens: { total: input, noCache: input },
  outputTokens: { total: output, text: output },
});

export const start: Part = { type: "stream-start", warnings: [] };
export const metadata: Part = { type: "response-metadata", id: "r1", modelId: "one-2026", timestamp: new Date(0) };
export const finish: Part = { type: "finish", finishReason: stop, usage: usage(3, 4) };

export const text = (value: string, id = "0"): Part[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: value },
  { type: "text-end", id },
];

/** A whole answer that says this. */
export const saying = (value: string): Part[] => [start, metadata, ...text(value), finish];
