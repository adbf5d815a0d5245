import { appendFile, readFile } from "node:fs/promises";
import { componentHandlers, type Handler, type TokenUsage } from "kumiko";
import { isUnknown } from "./tools.js";

/** What one of the processes has done. */
export type Note =
  | { readonly type: "process"; readonly process: number }
  | { readonly type: "ran"; readonly process: number; readonly what: string; readonly call?: string }
  | { readonly type: "usage"; readonly usage: Readonly<Record<string, TokenUsage>> }
  | { readonly type: "trace"; readonly lines: readonly string[] };

/** A file that both processes write to: it outlives them, as the store does. */
export class Notebook {
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  add(note: Note): Promise<void> {
    this.#writing = this.#writing.then(() => appendFile(this.#file, `${JSON.stringify(note)}\n`));
    return this.#writing;
  }

  async notes(): Promise<Note[]> {
    await this.#writing;
    const text = await readFile(this.#file, "utf8");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Note]));
  }

  /** Counts what has ended in a turn: the calls of the model, and the tools that ran. */
  counter(turn: number): Handler {
    const count = (what: string, call?: string) => {
      void this.add({ type: "ran", process: process.pid, what, ...(call !== undefined && { call }) });
    };
    return componentHandlers({
      model: { onEnd: () => count("model calls") },
      tool: {
        onEnd: ({ name, address }, { result }) => {
          if (typeof result !== "string" || !isUnknown(result)) count(name, `turn ${turn}, ${address}`);
        },
      },
    });
  }
}

/** One line per thing that ran, with a column per process. */
export function countTable(notes: readonly Note[]): string[] {
  const processes = notes.flatMap((note) => (note.type === "process" ? [note.process] : []));
  const ran = notes.filter((note) => note.type === "ran");
  const names = [...new Set(ran.map(({ what }) => what))];
  const width = Math.max(...names.map(({ length }) => length), 0) + 2;
  const row = (name: string, cells: readonly (string | number)[]) =>
    `  ${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(16)).join("")}`;
  return [
    row(
      "",
      processes.map((id) => `process ${id}`),
    ),
    ...names.map((name) =>
      row(
        name,
        processes.map((id) => ran.filter(({ what, process: own }) => what === name && own === id).length || "-"),
      ),
    ),
  ];
}

/** What ran in all processes, in one line. */
export function countLine(notes: readonly Note[]): string {
  const ran = notes.filter((note) => note.type === "ran");
  const calls = ran.filter(({ what }) => what === "model calls").length;
  return `${calls} calls of the model, ${ran.length - calls} of tools`;
}

/** Tool calls that ran more than once. */
export function ranTwice(notes: readonly Note[]): string[] {
  const calls = notes.flatMap((note) => (note.type === "ran" && note.call !== undefined ? [note.call] : []));
  return [...new Set(calls.filter((call, index) => calls.indexOf(call) !== index))];
}

/** Tokens by model, of all processes. */
export function usageLines(notes: readonly Note[]): string[] {
  const totals = new Map<string, { input: number; output: number }>();
  for (const note of notes) {
    if (note.type !== "usage") continue;
    for (const [model, { promptTokens = 0, completionTokens = 0 }] of Object.entries(note.usage)) {
      const total = totals.get(model) ?? { input: 0, output: 0 };
      total.input += promptTokens;
      total.output += completionTokens;
      totals.set(model, total);
    }
  }
  if (totals.size === 0) return ["  The model says nothing of tokens."];
  return [...totals].map(
    ([model, { input, output }]) =>
      `  ${model}  ${input.toLocaleString("en")} ${unitOf(model)} in, ${output.toLocaleString("en")} out`,
  );
}

/** Rules have no tokens. */
function unitOf(model: string): string {
  return model === "local/rules" ? "words" : "tokens";
}
