import ts from "typescript";
import { lineOf, type SourceModule } from "../architecture/source-module.js";
import type { ExportedName } from "./exported-names.js";

const errorFile = "src/errors.ts";
/** Entries whose names are those of another package. */
const foreignNames: readonly string[] = ["kumiko/mastra"];

/**
 * Names of the root that do not stand in exactly one subpath, and names that stand in two subpaths. What `src/errors.ts`
 * declares belongs to no subpath in particular: it may stand in one, or in the root alone. An entry with the names of another
 * package may repeat ours.
 */
export function findMisplacedNames(names: ReadonlyMap<string, readonly ExportedName[]>, root: string): string[] {
  const own = [...names].filter(([specifier]) => !foreignNames.includes(specifier));
  const subpaths = own.filter(([specifier]) => specifier !== root);
  const everywhere = new Map(own.flatMap(([, exported]) => exported).map((exported) => [exported.name, exported]));
  const inRoot = new Map((names.get(root) ?? []).map((exported) => [exported.name, exported]));
  return [...everywhere.values()].flatMap(({ name }) => {
    const homes = subpaths.flatMap(([specifier, exported]) =>
      exported.filter((candidate) => candidate.name === name).map(({ declaration }) => ({ specifier, declaration })),
    );
    if (homes.length > 1) return [`"${name}" stands in ${homes.map(({ specifier }) => specifier).join(" and ")}`];
    const ofRoot = inRoot.get(name);
    if (ofRoot === undefined) return [];
    const [home] = homes;
    if (home === undefined) {
      return ofRoot.declaration.startsWith(`${errorFile}#`) ? [] : [`"${name}" of ${root} stands in no subpath`];
    }
    return ofRoot.declaration === home.declaration
      ? []
      : [`"${name}" of ${root} is another thing in ${home.specifier}`];
  });
}

/** Statements of an entry that are no explicit named re-export of a file that declares the names. */
export function findOtherStatements({ path, source }: SourceModule): string[] {
  return source.statements.flatMap((statement) => {
    const problem = judge(statement);
    return problem === undefined ? [] : [`${path}:${lineOf(source, statement)} ${problem}`];
  });
}

function judge(statement: ts.Statement): string | undefined {
  // a file that Node.js is to load with the entry; bundlers drop it
  if (ts.isImportDeclaration(statement) && statement.importClause === undefined) return undefined;
  if (!ts.isExportDeclaration(statement)) return "is no re-export; an entry holds nothing else";
  if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) return "lists no names";
  const from = statement.moduleSpecifier;
  if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith("."))
    return "re-exports no file of src/";
  if (from.text.endsWith("/index.js")) return "re-exports another entry: name the file that declares it";
  return undefined;
}
