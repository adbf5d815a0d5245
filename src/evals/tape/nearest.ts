import type { Nearest } from "./errors.js";
import type { Json } from "./plain-json.js";
import type { TapeFolder } from "./tape-folder.js";

type Leaves = ReadonlyMap<string, string>;

/** The recording of a kind that has the most in common with a request. Files that cannot be read are passed over. */
export function nearestRecording(folder: TapeFolder, kind: string, asked: Json): Nearest | undefined {
  const wanted = leavesOf(asked);
  let best: { readonly file: string; readonly leaves: Leaves; readonly common: number } | undefined;
  for (const file of folder.list(kind)) {
    const leaves = recordedLeaves(folder, file);
    if (leaves === undefined) continue;
    const common = likeness(wanted, leaves);
    if (best === undefined || common > best.common) best = { file, leaves, common };
  }
  return best && describe(best.file, best.leaves, wanted);
}

function recordedLeaves(folder: TapeFolder, file: string): Leaves | undefined {
  try {
    const request = folder.read(file)?.request as { readonly [field: string]: Json } | undefined;
    if (request === undefined || typeof request !== "object") return undefined;
    const { tools } = request;
    const list = typeof tools === "string" ? folder.readTools(`tools-${tools}.json`) : undefined;
    return leavesOf(list === undefined ? request : { ...request, tools: list });
  } catch {
    return undefined;
  }
}

/** The texts of a value by their paths. */
function leavesOf(json: Json): Leaves {
  const leaves = new Map<string, string>();
  collect(json, "", leaves);
  return leaves;
}

function collect(json: Json, path: string, leaves: Map<string, string>): void {
  if (Array.isArray(json)) {
    for (const [index, item] of (json as readonly Json[]).entries()) collect(item, `${path}[${index}]`, leaves);
  } else if (json !== null && typeof json === "object") {
    for (const [key, item] of Object.entries(json)) collect(item as Json, path === "" ? key : `${path}.${key}`, leaves);
  } else leaves.set(path, String(json));
}

/** From 0 to 1: the share of equal texts, where texts with the same beginning count in part. */
function likeness(one: Leaves, other: Leaves): number {
  let common = 0;
  for (const [path, text] of one) {
    const its = other.get(path);
    if (its === text) common += 1;
    else if (its !== undefined) common += (0.9 * commonStart(text, its)) / Math.max(text.length, its.length, 1);
  }
  return common / Math.max(one.size, other.size, 1);
}

function commonStart(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) if (one[index] !== other[index]) return index;
  return length;
}

function describe(file: string, recorded: Leaves, asked: Leaves): Nearest {
  const paths = [...new Set([...asked.keys(), ...recorded.keys()])];
  const different = paths.filter((path) => asked.get(path) !== recorded.get(path));
  const path = different.find((one) => one !== "earlier.sha256") ?? different[0] ?? "";
  const [then, now] = [recorded.get(path), asked.get(path)];
  const from = then === undefined || now === undefined ? 0 : commonStart(then, now);
  return {
    file,
    path: path === "" ? "what ignore matches" : path,
    recorded: around(then, from),
    asked: around(now, from),
    ignore: ignoring(different.map((one) => [recorded.get(one), asked.get(one)])),
  };
}

/** The text around the first difference. */
function around(text: string | undefined, from: number): string {
  if (text === undefined) return "(nothing)";
  const start = Math.max(0, from - 30);
  const end = Math.min(text.length, from + 50);
  return JSON.stringify(`${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`);
}

const passing: readonly RegExp[] = [
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi,
  /\b1\d{9}(?:\d{3})?\b/g,
  /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2},? \d{4}(?: \d{2}:\d{2}(?::\d{2})?)?/g,
];

/** The patterns that make all differences go away; `undefined` if some stay. */
function ignoring(differences: readonly (readonly [string | undefined, string | undefined])[]): string | undefined {
  const needed = new Set<RegExp>();
  for (const [then, now] of differences) {
    if (then === undefined || now === undefined) return undefined;
    let [left, right] = [then, now];
    for (const pattern of passing) {
      if (left === right) break;
      const [starred, other] = [left.replace(pattern, "*"), right.replace(pattern, "*")];
      if (starred !== left && other !== right) needed.add(pattern);
      [left, right] = [starred, other];
    }
    if (left !== right) return undefined;
  }
  return needed.size === 0 ? undefined : [...needed].map(String).join(", ");
}
