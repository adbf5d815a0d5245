import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

/** What the process that runs the snippets tells the one that started it. */
export interface SnippetReport {
  readonly index: number;
  /** What it wrote to standard output. */
  readonly output: string;
  readonly error?: { readonly message: string; readonly stack: string } | undefined;
}

let output = "";
let current = 0;
process.stdout.write = (chunk: string | Uint8Array): boolean => {
  output += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
  return true;
};
Object.assign(globalThis, {
  __startOutput: () => {
    output = "";
  },
});
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error) => void report({ error }).then(() => process.exit(1)));
}

for (const [index, path] of process.argv.slice(2).entries()) {
  current = index;
  output = "";
  try {
    await import(pathToFileURL(path).href);
    await new Promise((resolve) => setImmediate(resolve)); // rejections that nobody handles are told by then
    await report();
  } catch (error) {
    await report({ error });
  }
}
// No exit here: what a block left running may still fail, and is to end.

function report(failure?: { readonly error: unknown }): Promise<void> {
  const message: SnippetReport = { index: current, output, error: failure && describe(failure.error) };
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

function describe(error: unknown): NonNullable<SnippetReport["error"]> {
  if (error instanceof Error) return { message: `${error.name}: ${error.message}`, stack: error.stack ?? "" };
  return { message: `threw ${inspect(error)}`, stack: "" };
}
