import { loadPackage } from "../../optional-package.js";
import { unknownTokenizer } from "../errors.js";
import type { Measure } from "./sizing.js";

/** Selects the tokenizer. `encodingName` takes precedence over `modelName`. */
export interface TokenizerOptions {
  /** Such as `cl100k_base` or `gpt2`. @default "o200k_base" */
  readonly encodingName?: string | undefined;
  /** The tokenizer of this model, such as `gpt-4o`. */
  readonly modelName?: string | undefined;
}

/** The used part of gpt-tokenizer. */
interface Encoding {
  encode(text: string, options: EncodeOptions): number[];
  countTokens(text: string, options: EncodeOptions): number;
  decodeGenerator(tokens: Iterable<number>): Generator<string, void, void>;
}
interface EncodeOptions {
  readonly disallowedSpecial: Set<string>;
}

/** Counts tokens, and finds where they end in a text. */
export class Tokenizer implements Measure {
  readonly isCharacters = false;
  readonly #encoding: Encoding;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  of(text: string): number {
    let count = 0;
    for (const window of windowsOf(text)) count += this.#encoding.countTokens(window, plainText);
    return count;
  }

  /** The positions at which both a token and a character end, in order. The last one is the end of the text. */
  ends(text: string): number[] {
    const ends: number[] = [];
    let start = 0;
    for (const window of windowsOf(text)) {
      for (const end of this.#endsIn(window)) ends.push(start + end);
      start += window.length;
    }
    return ends;
  }

  #endsIn(window: string): number[] {
    const ends: number[] = [];
    let end = 0;
    for (const part of this.#encoding.decodeGenerator(this.#encoding.encode(window, plainText))) {
      if (part === "") continue;
      end += part.length;
      if (!isLowSurrogate(window.charCodeAt(end))) ends.push(end);
    }
    // invalid Unicode may not survive encoding and decoding
    return end === window.length ? ends : endsOfCharacters(window);
  }
}

/** Treats text that looks like a special token as plain text. */
const plainText: EncodeOptions = { disallowedSpecial: new Set() };

function endsOfCharacters(text: string): number[] {
  let end = 0;
  return Array.from(text, (character) => {
    end += character.length;
    return end;
  });
}

/** Cuts long runs of one kind of character: a tokenizer treats each run as one word, and takes quadratic time for it. */
function* windowsOf(text: string): Generator<string> {
  let start = 0;
  for (const { index, 0: run } of text.matchAll(longRun)) {
    const end = index + run.length;
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

const longRun = /[\p{L}\p{M}]{400}|[^\s\p{L}\p{N}]{400}|\s{400}/gu;

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Loads a tokenizer, whose table has one to two megabytes. */
export async function loadTokenizer({ encodingName, modelName }: TokenizerOptions): Promise<Tokenizer> {
  const name = encodingName ?? (modelName === undefined ? defaultEncoding : await encodingOf(modelName));
  const load = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
  if (load === undefined) throw unknownTokenizer("encoding", name, Object.keys(encodings));
  return new Tokenizer(await loaded(load));
}

async function encodingOf(modelName: string): Promise<string> {
  const [{ modelToEncodingMap }, models] = await loaded(() =>
    Promise.all([import("gpt-tokenizer/mapping"), import("gpt-tokenizer/models")]),
  );
  if (!Object.hasOwn(models, modelName)) throw unknownTokenizer("model", modelName, Object.keys(models));
  // the map lists only older models; all others use the default
  const older: Readonly<Record<string, string>> = modelToEncodingMap;
  return Object.hasOwn(older, modelName) ? (older[modelName] ?? defaultEncoding) : defaultEncoding;
}

const defaultEncoding = "o200k_base";

const encodings: Readonly<Record<string, () => Promise<Encoding>>> = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base"),
  o200k_harmony: () => import("gpt-tokenizer/encoding/o200k_harmony"),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base"),
  p50k_base: () => import("gpt-tokenizer/encoding/p50k_base"),
  p50k_edit: () => import("gpt-tokenizer/encoding/p50k_edit"),
  r50k_base: () => import("gpt-tokenizer/encoding/r50k_base"),
  gpt2: () => import("gpt-tokenizer/encoding/r50k_base"),
};

function loaded<T>(load: () => Promise<T>): Promise<T> {
  return loadPackage("gpt-tokenizer", "Counting tokens", load);
}
