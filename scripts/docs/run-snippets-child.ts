import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

/** What the process that runs the snippets tells the one that started it, once per snippet. */
export interface SnippetReport {
  readonly index: number;
  /** What it wrote to standard output. */
  readonly output: string;
  readonly error?: { readonly message: string; readonly stack: string } | undefined;
  /** What still runs a while after its end, such as `Timeout`. */
  readonly leftovers?: readonly string[] | undefined;
}

const [, , patience = "0", ...snippets] = process.argv;
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

for (const snippet of snippets) {
  const [index, path = ""] = snippet.split(/:(.*)/s);
  current = Number(index);
  output = "";
  try {
    await import(pathToFileURL(path).href);
    await report({ leftovers: await waitForTheRest() });
  } catch (error) {
    await report({ error });
  }
}
// Nothing is left to do but what a snippet left running, which was told.
process.exit();

/** Waits until the snippet has left nothing that runs, or patience is over: what fails until then is its failure. */
async function waitForTheRest(): Promise<readonly string[] | undefined> {
  const end = performance.now() + Number(patience);
  await new Promise((resolve) => setImmediate(resolve)); // rejections that nobody handles are told by then
  for (let pause = 1; ; pause = Math.min(pause * 2, 100)) {
    // pipes are those to the process that started this one
    const rest = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap");
    if (rest.length === 0) return undefined;
    if (performance.now() > end) return rest;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function report(told: { readonly error?: unknown; readonly leftovers?: readonly string[] | undefined }): Promise<void> {
  const error = "error" in told ? describe(told.error) : undefined;
  const message: SnippetReport = { index: current, output, error, leftovers: told.leftovers };
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

function describe(error: unknown): NonNullable<SnippetReport["error"]> {
  if (error instanceof Error) return { message: `${error.name}: ${error.message}`, stack: error.stack ?? "" };
  return { message: `threw ${inspect(error)}`, stack: "" };
}
