import { join } from "node:path";
import ts from "typescript";
import { importsOnly, type Program, programs } from "../types/programs.js";
import type { Figures } from "./budgets.js";

const root = join(import.meta.dirname, "../..");
/** Where the programs pretend to stand: they are compiled from memory. */
const path = join(root, "bench/types/program.ts");
const gated = [
  "fluent, 10 nodes",
  "fluent, 50 nodes",
  "fluent, 100 nodes",
  "fluent, 150 nodes",
  "addNodes, 150 nodes",
  "agent, 30 tools, 6 middlewares",
];

/** How many types the compiler instantiates for graphs of some sizes, above what the imports cost it. */
export function countInstantiations(names: readonly string[] = gated): Figures {
  const compile = createCompiler();
  const base = compile(importsOnly);
  const figures = Object.fromEntries(
    names.map((name) => {
      const program = programOf(name);
      const { imports } = program;
      const own = imports === undefined ? base : compile({ name: `${name}, imports`, source: imports });
      return [name, compile(program) - own];
    }),
  );
  checkGrowth(figures);
  return figures;
}

/** What twice the nodes may cost, as a multiple: more would mean that the cost of a node grows with the graph. */
const MOST = 2.1;

function checkGrowth({ "fluent, 50 nodes": fifty = 0, "fluent, 100 nodes": hundred = 0 }: Figures): void {
  if (hundred <= fifty * MOST) return;
  const times = (hundred / fifty).toFixed(2);
  throw new Error(
    `100 fluent nodes cost ${times} times the type instantiations of 50 nodes, at most ${MOST} times are allowed.`,
  );
}

function programOf(name: string): Program {
  const program = programs.find((candidate) => candidate.name === name);
  if (program === undefined) throw new Error(`bench/types/programs.ts has no program "${name}".`);
  return program;
}

/** Compiles one program after another; the sources of the library and of TypeScript are parsed once. */
function createCompiler(): (program: Program) => number {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const settings = { ...config, include: [], files: [path] };
  const { options } = ts.parseJsonConfigFileContent(settings, ts.sys, root, { noEmit: true });
  const host = ts.createCompilerHost(options);
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return ({ name, source }) => {
    const program = ts.createProgram([path], options, {
      ...host,
      fileExists: (file) => file === path || host.fileExists(file),
      getSourceFile(file, language) {
        if (file === path) return ts.createSourceFile(file, source, language, true);
        if (!parsed.has(file)) parsed.set(file, host.getSourceFile(file, language));
        return parsed.get(file);
      },
    });
    const file = program.getSourceFile(path);
    const [problem] = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    if (problem !== undefined) {
      throw new Error(`"${name}" does not compile: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`);
    }
    return instantiationsOf(program);
  };
}

/** What `tsc --extendedDiagnostics` prints. The compiler does not declare it. */
function instantiationsOf(program: ts.Program): number {
  const count: unknown = Reflect.get(program, "getInstantiationCount");
  if (typeof count !== "function") throw new Error(`TypeScript ${ts.version} does not count instantiations.`);
  return count.call(program);
}
