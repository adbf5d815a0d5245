import { Context } from "../../run/context.js";
import type { Scope } from "../../run/scope.js";
import { tapeMiss } from "./errors.js";
import { nearestRecording } from "./nearest.js";
import { type Json, sha256, withTexts } from "./plain-json.js";
import { noteReuse } from "./reuse.js";
import type { TapeMode } from "./tape.js";
import type { TapeFolder } from "./tape-folder.js";
import type { TapeText } from "./tape-text.js";

/** One call that goes over a tape. */
export interface TapedRequest {
  /** The prefix of its file: the kind of the call. */
  readonly kind: string;
  readonly request: { readonly [field: string]: Json };
  /** How errors name it: `model "openai/gpt-5"`. */
  readonly what: string;
  /** The list of tools of a model, which has a file of its own. */
  readonly tools?: readonly Json[] | undefined;
}

/** A call of a request: an answer from the tape, or the duty to ask. */
export interface Taken {
  readonly answer: Readonly<Record<string, Json>> | undefined;
  /** Its file, for error messages. */
  readonly path: string;
  /** Puts an answer on the tape. */
  keep(answer: Readonly<Record<string, Json>>): void;
  /** There is no answer to keep: the next call takes its place. */
  drop(): void;
}

export interface TapeStats {
  /** How many calls were answered from the tape. */
  replayed: number;
  /** How many answers were put on the tape. */
  recorded: number;
  /** How many of the replayed calls got an answer again, because the tape has fewer answers than there were calls. */
  reused: number;
}

/** Finds and keeps answers. Equal requests are a sequence: each call takes the next answer. */
export class TapeDeck {
  readonly folder: TapeFolder;
  readonly text: TapeText;
  readonly mode: TapeMode;
  readonly stats: TapeStats;
  /** How many calls there were of each request. */
  readonly #counts = new Map<string, number>();
  /** The numbers of the calls whose answers were put on the tape, by file. */
  readonly #kept = new Map<string, number[]>();
  /** Requests whose old answers were replaced. */
  readonly #replaced = new Set<string>();

  #calls = 0;

  constructor(folder: TapeFolder, text: TapeText, mode: TapeMode, stats: TapeStats) {
    this.stats = stats;
    this.folder = folder;
    this.text = text;
    this.mode = mode;
  }

  /** The next call of a request. `skip` tells of answers that do not count for it. */
  take(taped: TapedRequest, ctx: unknown, skip?: (answer: Readonly<Record<string, Json>>) => boolean): Taken {
    const name = this.nameOf(taped);
    const path = this.folder.pathOf(name);
    if (this.mode === "record") return this.#ask(taped, name, path);
    const answers = this.#answersOf(name, ctx);
    if (this.mode === "replay" && answers.length === 0) throw this.miss(taped, ctx);
    const count = this.#counts.get(name) ?? 0;
    let index = count;
    const at = (position: number) => answers[this.mode === "replay" ? position % answers.length : position];
    for (let left = answers.length; left > 1 && skip !== undefined; left--) {
      const next = at(index);
      if (next === undefined || !skip(next)) break;
      index += 1;
    }
    const answer = at(index);
    if (answer === undefined) return this.#ask(taped, name, path);
    this.#counts.set(name, index + 1);
    if (index >= answers.length) {
      this.stats.reused += 1;
      noteReuse(ctx);
    }
    this.stats.replayed += 1;
    return { answer, path, keep: () => undefined, drop: () => undefined };
  }

  #answersOf(name: string, ctx: unknown): readonly Readonly<Record<string, Json>>[] {
    try {
      return (this.folder.read(name)?.answers ?? []) as readonly Readonly<Record<string, Json>>[];
    } catch (error) {
      throw this.end(error, ctx);
    }
  }

  /** The answers of a request that do not depend on the number of the call; `undefined` if it has to be asked. */
  peek(taped: TapedRequest, ctx: unknown): Readonly<Record<string, Json>> | undefined {
    return this.#answersOf(this.nameOf(taped), ctx)[0];
  }

  /** Puts an answer on the tape; `replaces` all that it had. */
  keep(taped: TapedRequest, answer: Readonly<Record<string, Json>>, replaces: boolean): void {
    this.#write(taped, this.nameOf(taped), answer, { replaces, call: this.#calls++ });
  }

  /** The error of a request that the tape does not know. */
  miss(taped: TapedRequest, ctx: unknown): unknown {
    return this.end(this.#missOf(taped), ctx);
  }

  /** Ends the run of a context with an error of its tape, which must not be answered by anything else. */
  end(error: unknown, ctx: unknown): unknown {
    if (ctx instanceof Context) {
      let scope: Scope = ctx.scope;
      while (scope.parent !== undefined) scope = scope.parent;
      scope.abort(error);
    }
    return error;
  }

  #missOf({ kind, request, what, tools }: TapedRequest): Error {
    const { folder } = this;
    const whole = tools === undefined ? request : { ...request, tools };
    const nearest = nearestRecording(folder, kind, whole);
    return tapeMiss({ folder: folder.path, exists: folder.exists, kind, asked: what, nearest });
  }

  #ask(taped: TapedRequest, name: string, path: string): Taken {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const call = this.#calls++;
    return {
      answer: undefined,
      path,
      keep: (answer) => {
        const replaces = this.mode === "record" && !this.#replaced.has(name);
        this.#write(taped, name, answer, { replaces, call });
        this.#replaced.add(name);
      },
      drop: () => void this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1),
    };
  }

  #write(
    { request, tools }: TapedRequest,
    name: string,
    answer: Readonly<Record<string, Json>>,
    { replaces, call }: { readonly replaces: boolean; readonly call: number },
  ): void {
    if (tools !== undefined && typeof request.tools === "string") this.#writeTools(request.tools, tools);
    const answers = replaces ? [] : [...(this.folder.read(name)?.answers ?? [])];
    answers.splice(this.#placeOf(name, call, answers.length), 0, this.text.masked(answer));
    this.folder.write(name, { answers, request: withTexts(request, same), version: 1 });
    this.stats.recorded += 1;
  }

  /** Answers stand in the order of their calls, whichever came first. */
  #placeOf(name: string, call: number, length: number): number {
    const kept = this.#kept.get(name) ?? [];
    const later = Math.min(length, kept.filter((other) => other > call).length);
    this.#kept.set(name, [...kept, call]);
    return length - later;
  }

  #writeTools(hash: string, tools: readonly Json[]): void {
    const name = toolsFile(hash);
    if (!this.folder.has(name)) this.folder.write(name, { tools, version: 1 });
  }

  /** `<kind>-<words of the request>-<the key>.json` */
  nameOf({ kind, request }: TapedRequest): string {
    const key = this.text.ignored(request) as { readonly [field: string]: Json };
    const hash = sha256(JSON.stringify(withTexts(key, same))).slice(0, 16);
    const words = wordsOf(key);
    return `${kind}-${words}-${hash}.json`;
  }
}

const same = (text: string): string => text;

export const toolsFile = (hash: string): string => `tools-${hash}.json`;

/** Words of a request, by which people find its file. */
function wordsOf(request: { readonly [field: string]: Json }): string {
  const { messages, name, input, args, text } = request;
  const shown = Array.isArray(messages) ? [lastTextOf(messages)] : [name, input, args, text];
  const words = shown.map((part) => (part === undefined ? "" : textsIn(part))).join(" ");
  const slug = words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return slug === "" ? "request" : slug;
}

/** What the last message of a request says. */
export function lastTextOf(messages: Json | undefined): Json {
  const message = Array.isArray(messages) ? (messages as readonly Json[]).at(-1) : undefined;
  const { contentBlocks } = (message ?? {}) as {
    readonly contentBlocks?: readonly { readonly [field: string]: Json }[];
  };
  const block = contentBlocks?.at(-1);
  return block?.text ?? block?.result ?? block?.name ?? "";
}

function textsIn(json: Json): string {
  if (typeof json === "string") return json;
  if (typeof json === "number") return String(json);
  if (json === null || typeof json === "boolean") return "";
  const parts: readonly Json[] = Array.isArray(json) ? json : Object.values(json);
  return parts.map(textsIn).join(" ");
}
