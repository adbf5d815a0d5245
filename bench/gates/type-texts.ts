import { join } from "node:path";
import ts from "typescript";
import { fiveNodes, sixtyNodes } from "../types/programs.js";
import type { Figures } from "./budgets.js";

const root = join(import.meta.dirname, "../..");
/** Where the programs pretend to stand: they are compiled from memory. */
const path = join(root, "bench/types/program.ts");

/** How long the types of graphs are where people and files show them: on hover in an editor, and in a declaration file. */
export function measureTypeTexts(): Figures {
  return {
    "hover, graph of 5 nodes": hoverOf(fiveNodes, "graph").length,
    "declaration, 60 compiled nodes": Buffer.byteLength(declarationOf(sixtyNodes, "compiled")),
  };
}

/** What an editor shows for a variable. */
export function hoverOf(source: string, name: string): string {
  const program = programOf(source, { noEmit: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const symbol = file && checker.getSymbolsInScope(file, ts.SymbolFlags.Variable).find((found) => found.name === name);
  if (file === undefined || symbol === undefined) throw new Error(`The program has no variable "${name}".`);
  const type = checker.getTypeOfSymbolAtLocation(symbol, file);
  return `const ${name}: ${checker.typeToString(type, file, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope)}`;
}

/** What the compiler writes into the declaration file of a program about a variable. */
export function declarationOf(source: string, name: string): string {
  let written = "";
  const settings = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: join(root, ".out") };
  const program = programOf(source, settings);
  program.emit(program.getSourceFile(path), (_, text) => (written = text));
  const line = written.split("\n").find((text) => text.startsWith(`export declare const ${name}:`));
  if (line === undefined) throw new Error(`The compiler wrote no declaration of "${name}".`);
  return line;
}

function programOf(source: string, settings: ts.CompilerOptions): ts.Program {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [path] }, ts.sys, root, settings);
  const host = ts.createCompilerHost({ ...options, ...settings });
  const program = ts.createProgram(
    [path],
    { ...options, ...settings },
    {
      ...host,
      fileExists: (file) => file === path || host.fileExists(file),
      getSourceFile: (file, language) =>
        file === path ? ts.createSourceFile(file, source, language, true) : host.getSourceFile(file, language),
    },
  );
  const [problem] = program.getSemanticDiagnostics(program.getSourceFile(path));
  if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
  return program;
}
