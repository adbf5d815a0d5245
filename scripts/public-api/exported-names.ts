import { join, relative } from "node:path";
import ts from "typescript";
import type { Entry } from "./entries.js";

export interface ExportedName {
  readonly name: string;
  /** Whether it is there at run time: functions, classes and constants, but no interfaces and type aliases. */
  readonly kind: "value" | "type";
  /** The file that declares it, and the name it has there: what makes two exports the same. */
  readonly declaration: string;
}

/** What every entry exports, by specifier, in alphabetical order. */
export function readExportedNames(root: string, entries: readonly Entry[]): Map<string, ExportedName[]> {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    entries.map(({ source }) => join(root, source)),
    options,
  );
  const checker = program.getTypeChecker();
  return new Map(
    entries.map(({ specifier, source }) => {
      const file = program.getSourceFile(join(root, source));
      const symbol = file && checker.getSymbolAtLocation(file);
      if (symbol === undefined) throw new Error(`${source} is missing or exports nothing.`);
      const names = checker.getExportsOfModule(symbol).map((exported) => describeExport(exported, checker, root));
      return [specifier, names.sort((a, b) => (a.name < b.name ? -1 : 1))];
    }),
  );
}

function describeExport(symbol: ts.Symbol, checker: ts.TypeChecker, root: string): ExportedName {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const file = target.declarations?.[0]?.getSourceFile().fileName;
  if (file === undefined) throw new Error(`"${symbol.name}" is exported, but declared nowhere.`);
  const typeOnly = (symbol.declarations ?? []).some(
    (declaration) =>
      ts.isExportSpecifier(declaration) && (declaration.isTypeOnly || declaration.parent.parent.isTypeOnly),
  );
  return {
    name: symbol.name,
    kind: target.flags & ts.SymbolFlags.Value && !typeOnly ? "value" : "type",
    declaration: `${relative(root, file).replaceAll("\\", "/")}#${target.name}`,
  };
}
