import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Snippet } from "./snippet.js";

export interface CheckOptions {
  /** A folder below the repository's root, where the built package is found by its name; made before and removed after. */
  readonly folder: string;
  /** How a project resolves modules. @default "nodenext" */
  readonly moduleResolution?: "nodenext" | "bundler";
}

interface Diagnostic {
  readonly file: string;
  readonly line: number;
  /** `error TS2322: …`, over several lines. */
  readonly text: string;
}

/**
 * Type-checks all snippets in one run of the compiler, as a user's project that is strict and checks the declarations of what it
 * imports: those in `dist/`. Returns one line per error: page, line, message. A snippet that says which errors it has must have
 * these.
 */
export async function checkTypes(
  root: string,
  snippets: readonly Snippet[],
  { folder, moduleResolution = "nodenext" }: CheckOptions,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  try {
    for (const [index, { lines }] of snippets.entries()) {
      writeFileSync(join(folder, `snippet-${index}.ts`), lines.map(({ text }) => text).join("\n"));
    }
    const compilerOptions = {
      module: moduleResolution === "bundler" ? "esnext" : "nodenext",
      moduleResolution,
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
      types: ["node"],
      strict: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const found = parseDiagnostics(await runCompiler(root, folder));
    const names = snippets.map((_, index) => `snippet-${index}.ts`);
    return [
      ...found.filter(({ file }) => !names.includes(file)).map(({ file, line, text }) => `${file}:${line} ${text}`),
      ...snippets.flatMap((snippet, index) => {
        return judge(
          snippet,
          found.filter(({ file }) => file === names[index]),
        );
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runCompiler(root: string, folder: string): Promise<string> {
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  const options = { cwd: folder, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [compiler, "--pretty", "false"], options, (error, output, errors) => {
      if (error !== null && output === "") reject(new Error(`The compiler failed: ${errors || error.message}`));
      else resolve(output);
    });
  });
}

function parseDiagnostics(output: string): Diagnostic[] {
  const found: { file: string; line: number; text: string }[] = [];
  for (const row of output.split(/\r?\n/)) {
    const start = /^(?:(.*)\((\d+),\d+\): )?(error TS\d+: .*)$/.exec(row);
    const last = found.at(-1);
    if (start !== null) found.push({ file: start[1] ?? "", line: Number(start[2] ?? 0), text: start[3] ?? "" });
    else if (last !== undefined && row !== "") last.text += `\n${row}`;
  }
  return found;
}

function judge({ lines, origin, errors }: Snippet, found: readonly Diagnostic[]): string[] {
  if (errors !== undefined) {
    const said = found.map(({ text }) => text).join("\n");
    return said === errors.text.trim() ? [] : [`${errors.page}:${errors.line} are not the errors, but:\n${said}`];
  }
  return found.map(({ line, text }) => {
    const { page, line: own } = lines[line - 1]?.origin ?? origin;
    return `${page}:${own} ${text.replace(/^error /, "")}`;
  });
}
