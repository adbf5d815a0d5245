import { messageOf } from "../errors.js";
import type { Files } from "./files.js";
import { Page, textOfFile, wholeCharacters } from "./text-pages.js";

/** How many files are read at once. */
const batchSize = 16;
const longestLine = 300;

/** What is searched, and where. */
export interface Grep {
  readonly text: string;
  /** The paths of the files, in order. */
  readonly paths: AsyncIterable<string>;
  /** How many lines were given before. */
  readonly skip: number;
  readonly signal: AbortSignal;
}

/** The lines of files that contain a text, as `path:line: …`. Binary files are left out. */
export async function grep(files: Files, { text, paths, skip, signal }: Grep): Promise<string> {
  const page = new Page();
  const failed: string[] = [];
  let found = 0;
  for await (const batch of inBatches(paths)) {
    signal.throwIfAborted();
    const read = await Promise.all(batch.map((path) => linesIn(files, path, text)));
    for (const [index, lines] of read.entries()) {
      if (typeof lines === "string") failed.push(`${batch[index]}: ${lines}`);
      else {
        for (const { number, line } of lines) {
          found += 1;
          if (found <= skip) continue;
          if (!page.add(`${batch[index]}:${number}: ${line}`))
            return page.text(`There is more. Go on with skip: ${found - 1}.`);
        }
      }
    }
  }
  const notes =
    failed.length === 0
      ? undefined
      : `Not searched: ${failed.slice(0, 5).join("; ")}${failed.length > 5 ? ` and ${failed.length - 5} more` : ""}`;
  if (page.isEmpty) {
    const nothing = skip > 0 && found > 0 ? `There are only ${found} matches.` : "No match.";
    return notes === undefined ? nothing : `${nothing}\n\n[${notes}]`;
  }
  return page.text(notes);
}

async function* inBatches(paths: AsyncIterable<string>): AsyncGenerator<string[], void, undefined> {
  let batch: string[] = [];
  for await (const path of paths) {
    batch.push(path);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

interface FoundLine {
  readonly number: number;
  readonly line: string;
}

/** The lines of one file, or why it cannot be read. */
async function linesIn(files: Files, path: string, wanted: string): Promise<FoundLine[] | string> {
  let data: Uint8Array | undefined;
  try {
    data = (await files.read(path))?.data;
  } catch (error) {
    return messageOf(error);
  }
  const text = data === undefined ? undefined : textOfFile(data);
  return text === undefined ? [] : matchesIn(text, wanted);
}

function matchesIn(text: string, wanted: string): FoundLine[] {
  const found: FoundLine[] = [];
  let number = 1;
  let counted = 0;
  for (let at = text.indexOf(wanted); at !== -1; ) {
    for (let next = text.indexOf("\n", counted); next !== -1 && next < at; next = text.indexOf("\n", counted)) {
      number += 1;
      counted = next + 1;
    }
    const end = text.indexOf("\n", at);
    const line = text.slice(counted, end === -1 ? text.length : end).replace(/\r$/, "");
    found.push({ number, line: around(line, at - counted) });
    at = end === -1 ? -1 : text.indexOf(wanted, end + 1);
  }
  return found;
}

/** A long line is cut around what was found. */
function around(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const start = wholeCharacters(line, Math.max(0, at - longestLine / 3));
  const end = wholeCharacters(line, Math.min(line.length, start + longestLine));
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
