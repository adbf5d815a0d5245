import { posix } from "node:path";
import ts from "typescript";
import { forEachNode, lineOf, type SourceModule } from "./source-module.js";

const maxLines = 500;
const vagueNames = ["utils.ts", "helpers.ts", "common.ts", "types.ts"];

export function findLongFiles(modules: readonly SourceModule[]): string[] {
  return modules.flatMap(({ path, source }) => {
    const lines = source.text.trimEnd().split("\n").length;
    return lines > maxLines ? [`${path}:${maxLines + 1} the file has ${lines} lines, ${maxLines} is the limit`] : [];
  });
}

export function findVagueFileNames(modules: readonly SourceModule[]): string[] {
  return modules
    .filter(({ path }) => vagueNames.includes(posix.basename(path)))
    .map(({ path }) => `${path}:1 says nothing about its content: name the file after its main export`);
}

/** Ways around the compiler or the linter, and state that lives in a module. */
export function findForbiddenWords(modules: readonly SourceModule[]): string[] {
  return modules.flatMap((module) => [
    ...findForbiddenSyntax(module),
    ...findForbiddenComments(module),
    ...findModuleVariables(module),
  ]);
}

function findForbiddenSyntax({ path, source }: SourceModule): string[] {
  const found: string[] = [];
  forEachNode(source, (node) => {
    const problem = judgeNode(node);
    if (problem !== undefined) found.push(`${path}:${lineOf(source, node)} ${problem}`);
  });
  return found;
}

function judgeNode(node: ts.Node): string | undefined {
  if (node.kind === ts.SyntaxKind.AnyKeyword) return "uses any; unknown and never do the same, checked";
  if (ts.isNonNullExpression(node)) return "uses !; narrow the type instead";
  if (ts.isAsExpression(node) && isUnknownCast(node.expression))
    return "uses as unknown as; give the value its type where it is made";
  if (ts.isExportAssignment(node)) return "has a default export; export by name";
  if (ts.isExportDeclaration(node) && (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause))) {
    return "uses export *; list the names";
  }
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword))
    return "has a default export; export by name";
  return undefined;
}

function isUnknownCast(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isUnknownCast(node.expression);
  return ts.isAsExpression(node) && node.type.kind === ts.SyntaxKind.UnknownKeyword;
}

function findForbiddenComments({ path, source }: SourceModule): string[] {
  return source.text.split("\n").flatMap((line, index) => {
    const word = /@ts-ignore|@ts-nocheck|@ts-expect-error|biome-ignore|\bTODO\b|\bFIXME\b/.exec(line)?.[0];
    return word === undefined ? [] : [`${path}:${index + 1} has ${word}`];
  });
}

function findModuleVariables({ path, source }: SourceModule): string[] {
  return source.statements
    .filter(ts.isVariableStatement)
    .filter(({ declarationList }) => (declarationList.flags & ts.NodeFlags.Const) === 0)
    .map((node) => `${path}:${lineOf(source, node)} has a variable at the top level; a module keeps no state`);
}
