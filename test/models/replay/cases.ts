import { type AgenticMessage, type AgenticModel, runnable, userMessage } from "kumiko";
import { type AiSdkModel, aiSdkModel } from "kumiko/models";
import type { Provider } from "./providers.js";
import { providers } from "./providers.js";
import { findRecordings, type Recording, readRecordings } from "./recordings.js";
import type { Answer, Delivery } from "./replay-server.js";

export const folder = findRecordings();
export const recordings = readRecordings(folder);

export const question = [userMessage("What do you say?")];

/** One recording, read by one package. */
export interface Case {
  readonly title: string;
  readonly provider: Provider;
  readonly recording: Recording;
}

export const cases: readonly Case[] = providers.flatMap((provider) =>
  recordings
    .filter((recording) => provider.reads(recording))
    .map((recording) => ({
      title: `${recording.name} (${recording.streamed ? "stream" : "whole"}), ${provider.name}`,
      provider,
      recording,
    })),
);

/** Those that are no errors of the service or of the package that reads them. */
export const streamed = cases.filter(({ recording }) => recording.streamed);

export function answerOf({ streamed, body }: Recording, delivery: Delivery = {}): Answer {
  return { body, contentType: streamed ? "text/event-stream" : "application/json", ...delivery };
}

/** What a package gives, before the adapter sees it. */
export async function partsOf(model: AiSdkModel): Promise<Record<string, unknown>[]> {
  const { stream } = await model.doStream(rawCall as never);
  const parts: Record<string, unknown>[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value as Record<string, unknown>);
  }
}

export const rawCall = { prompt: [{ role: "user", content: [{ type: "text", text: "What do you say?" }] }] };

export function adapted(provider: Provider, url: string): AgenticModel {
  return aiSdkModel(provider.model(url));
}

export async function streamedBy(model: AgenticModel): Promise<AgenticMessage[]> {
  const chunks: AgenticMessage[] = [];
  for await (const chunk of runnable(model).stream(question)) chunks.push(chunk);
  return chunks;
}

/** Packages make up some ids at random: those that the recording does not have are all called the same. */
export function withoutRandomIds<T>(value: T, { body }: Recording): T {
  const text = JSON.stringify(value, (_, inner: unknown) => (inner instanceof Error ? inner.message : inner));
  const known = text.replaceAll(/"([A-Za-z0-9]{16})"/g, (whole, id: string) =>
    body.includes(id) ? whole : '"random"',
  );
  return JSON.parse(known);
}

/** A model of a package that gives this answer, whole. */
export function fakeModel(model: AiSdkModel, answer: object): AiSdkModel {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    doGenerate: async () => answer,
    doStream: async () => ({ stream: new ReadableStream() }),
  };
}
