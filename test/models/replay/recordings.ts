import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where answers were recorded: the kind of endpoint. */
export type Endpoint = "openai-chat" | "openai-responses" | "anthropic-messages" | "google-generate-content";

/** One recorded answer. */
export interface Recording {
  /** `deepseek-tool-call` */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly streamed: boolean;
  /** What the service sent. */
  readonly body: string;
}

const endpoints: readonly Endpoint[] = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "google-generate-content",
];

/** The folder of recordings: what KUMIKO_FIXTURES names, else the nearest `shared/fixtures` above this one. */
export function findRecordings(): string | undefined {
  const { KUMIKO_FIXTURES: named } = process.env;
  if (named !== undefined && named !== "") return existsSync(named) ? named : undefined;
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const found = join(folder, "shared", "fixtures");
    if (existsSync(join(found, "openai-chat"))) return found;
  }
  return undefined;
}

/** Every recorded answer, in place. None where there is no folder of them. */
export function readRecordings(folder: string | undefined): Recording[] {
  if (folder === undefined) return [];
  return endpoints.flatMap((endpoint) =>
    readdirSync(join(folder, endpoint))
      .filter((file) => !file.includes("-429-")) // the body of an error, not an answer
      .sort()
      .map((file) => readRecording(folder, endpoint, file)),
  );
}

function readRecording(folder: string, endpoint: Endpoint, file: string): Recording {
  const text = readFileSync(join(folder, endpoint, file), "utf8");
  const streamed = !file.endsWith(".json");
  const name = file.replace(/\.(?:json|sse|chunks\.txt)$/, "");
  return { name, endpoint, streamed, body: file.endsWith(".chunks.txt") ? eventsOf(endpoint, text) : text };
}

/** The lines of a recording as the service sent them. */
function eventsOf(endpoint: Endpoint, text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const named = endpoint === "openai-responses" || endpoint === "anthropic-messages";
  const events = lines.map((line) => (named ? `event: ${typeOf(line)}\ndata: ${line}\n\n` : `data: ${line}\n\n`));
  return events.join("") + (endpoint === "openai-chat" ? "data: [DONE]\n\n" : "");
}

function typeOf(line: string): string {
  return /"type"\s*:\s*"([^"]+)"/.exec(line)?.[1] ?? "message";
}
