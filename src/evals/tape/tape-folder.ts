import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { randomId } from "../../callbacks/random-id.js";
import { isFields } from "../../is.js";
import { invalidTape, newerTape, unreadableFolder } from "./errors.js";
import type { Json } from "./plain-json.js";

/** The content of a tape file. */
export interface TapeFile {
  readonly request: Json;
  readonly answers: readonly Json[];
}

/**
 * The files of a tape: one per different request, and one per list of tools. A file is written aside and then renamed, so that a
 * reader never sees half of one, whatever ends this process.
 */
export class TapeFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get exists(): boolean {
    return statSync(this.path, { throwIfNoEntry: false }) !== undefined;
  }

  has(name: string): boolean {
    return statSync(join(this.path, name), { throwIfNoEntry: false }) !== undefined;
  }

  /** The recording of a request; `undefined` if there is none. */
  read(name: string): TapeFile | undefined {
    const path = join(this.path, name);
    const text = this.#textOf(path);
    if (text === undefined) return undefined;
    const content = jsonIn(path, text);
    const { version, request, answers } = content;
    if (version !== 1) throw versionError(path, version);
    if (request === undefined) throw invalidTape(path, "has no request");
    if (!Array.isArray(answers)) throw invalidTape(path, "has no list of answers");
    for (const [index, answer] of answers.entries()) {
      if (!isFields(answer)) throw invalidTape(path, `has an answer that is not an object: answers[${index}]`);
    }
    return { request: request as Json, answers: answers as Json[] };
  }

  /** The tools of a request, for comparisons. */
  readTools(name: string): Json | undefined {
    try {
      const text = this.#textOf(join(this.path, name));
      return text === undefined ? undefined : ((JSON.parse(text) as { readonly tools?: Json }).tools ?? undefined);
    } catch {
      return undefined;
    }
  }

  write(name: string, content: Readonly<Record<string, Json>>): void {
    const path = join(this.path, name);
    const aside = `${path}.${pid}-${randomId()}.tmp`;
    try {
      mkdirSync(this.path, { recursive: true });
      writeFileSync(aside, `${JSON.stringify(content, null, 2)}\n`);
      renameSync(aside, path);
    } catch (cause) {
      throw unreadableFolder(this.path, cause);
    }
  }

  /** The names of the recordings of a kind. */
  list(kind: string): string[] {
    try {
      return readdirSync(this.path)
        .filter((name) => name.startsWith(`${kind}-`) && name.endsWith(".json"))
        .sort();
    } catch {
      return [];
    }
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  #textOf(path: string): string | undefined {
    try {
      return readFileSync(path, "utf8");
    } catch (cause) {
      if (isFields(cause) && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) return undefined;
      throw unreadableFolder(this.path, cause);
    }
  }
}

function jsonIn(path: string, text: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw invalidTape(path, "is not JSON", cause);
  }
  if (!isFields(content)) throw invalidTape(path, "is not a JSON object");
  return content;
}

function versionError(path: string, version: unknown): Error {
  return typeof version === "number" && version > 1
    ? newerTape(path, version)
    : invalidTape(path, "has no version that this library knows");
}
