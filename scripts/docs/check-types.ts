import { join } from "node:path";
import ts from "typescript";
import type { Passage } from "./markdown.js";
import type { Snippet } from "./snippet.js";

/** Parsed files of packages, TypeScript's own included: most of the time goes into them. */
const libraries = new Map<string, ts.SourceFile>();

/** Where snippets live while they are checked and run: a folder that is not there at any other time. */
export function snippetPath(folder: string, index: number): string {
  return join(folder, `snippet-${index}.ts`);
}

/**
 * Type-checks all snippets in one program, as if they stood in `folder`. Gives one line per error: page, line, message. A
 * snippet that says which errors it has must have these.
 */
export function checkTypes(root: string, folder: string, snippets: readonly Snippet[]): string[] {
  const texts = new Map(
    snippets.map(({ lines }, index) => [
      normalize(snippetPath(folder, index)),
      lines.map(({ text }) => text).join("\n"),
    ]),
  );
  const options = readOptions(root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.getSourceFile = (path, ...rest) => {
    if (!path.includes("/node_modules/")) return getSourceFile(path, ...rest);
    const source = libraries.get(path) ?? getSourceFile(path, ...rest);
    if (source !== undefined) libraries.set(path, source);
    return source;
  };
  host.fileExists = (path) => texts.has(normalize(path)) || fileExists(path);
  host.readFile = (path) => texts.get(normalize(path)) ?? readFile(path);
  const program = ts.createProgram([...texts.keys()], options, host);
  const general = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  return [
    ...general.map((diagnostic) => describe(diagnostic, undefined)),
    ...snippets.flatMap((snippet, index) => {
      const source = program.getSourceFile(normalize(snippetPath(folder, index)));
      if (source === undefined) throw new Error(`${snippet.origin.page}:${snippet.origin.line} was not read.`);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      if (snippet.errors !== undefined) return compareErrors(found, snippet.errors);
      return found.map((diagnostic) => describe(diagnostic, snippet));
    }),
  ];
}

function readOptions(root: string): ts.CompilerOptions {
  const path = join(root, "tsconfig.json");
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, undefined, path);
  // What we ask of our own code, and few users of theirs.
  return { ...options, noUncheckedIndexedAccess: false, exactOptionalPropertyTypes: false, erasableSyntaxOnly: false };
}

function compareErrors(found: readonly ts.Diagnostic[], { page, line, text }: Passage): string[] {
  const said = found.map((diagnostic) => `error ${textOf(diagnostic, "\n")}`).join("\n");
  return said === text.trim() ? [] : [`${page}:${line} are not the errors, but:\n${said}`];
}

function textOf({ code, messageText }: ts.Diagnostic, newLine = "\n  "): string {
  return `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, newLine)}`;
}

function describe(diagnostic: ts.Diagnostic, snippet: Snippet | undefined): string {
  const message = textOf(diagnostic);
  if (snippet === undefined || diagnostic.file === undefined || diagnostic.start === undefined) return message;
  const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start);
  const { page, line: own } = snippet.lines[line]?.origin ?? snippet.origin;
  return `${page}:${own} ${message}`;
}

function normalize(path: string): string {
  return path.replaceAll("\\", "/");
}
