import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assistantMessage, functionToolCall } from "kumiko";
import type { CustomModel } from "kumiko/components";
import { onTestFinished } from "vitest";

/** A folder for a tape, which does not exist yet. It is removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tape-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "tape");
}

export const filesIn = (folder: string): string[] => readdirSync(folder).sort();

/** Names and contents of all files. */
export const contentsOf = (folder: string): string =>
  filesIn(folder)
    .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`)
    .join("\n");

/** Gives every file the same content. */
export function overwriteAll(folder: string, content: unknown): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  for (const name of filesIn(folder)) writeFileSync(join(folder, name), text);
}

/** A model that must not be called: in the mode replay nothing is. */
export function untouchable(type = "ScriptedModel"): CustomModel & { readonly asked: () => number } {
  let count = 0;
  return {
    component: "model",
    type,
    asked: () => count,
    generate: async () => {
      count += 1;
      throw new Error("A provider was called.");
    },
  };
}

export const callOf = (name: string, args: object, callId = "1") =>
  assistantMessage([functionToolCall({ callId, name, arguments: JSON.stringify(args) })]);
