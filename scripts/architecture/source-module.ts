import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

export interface ImportSite {
  readonly specifier: string;
  readonly line: number;
  /** The imported file, like `src/errors.ts`; `undefined` for packages and built-in modules. */
  readonly target: string | undefined;
}

export interface SourceModule {
  /** From the root of the repository, with forward slashes: `src/schema/message.ts`. */
  readonly path: string;
  readonly source: ts.SourceFile;
  /** Type-only and dynamic imports, re-exports and `import("…")` types too. */
  readonly imports: readonly ImportSite[];
}

/** Every `.ts` and `.tsx` file under `folder`, a path from `root`, whose text is wanted. */
export function readModules(
  root: string,
  folder: string,
  isWanted: (text: string) => boolean = () => true,
): SourceModule[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .sort();
  const known = new Set(paths);
  return paths.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    if (!isWanted(text)) return [];
    const module = parseModule(path, text);
    const imports = module.imports.map((site) => {
      const withJsx = `${site.target}x`;
      return site.target !== undefined && !known.has(site.target) && known.has(withJsx)
        ? { ...site, target: withJsx }
        : site;
    });
    return { ...module, imports };
  });
}

export function parseModule(path: string, text: string): SourceModule {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: ImportSite[] = [];
  forEachNode(source, (node) => {
    const specifier = findSpecifier(node);
    if (specifier === undefined) return;
    imports.push({ specifier: specifier.text, line: lineOf(source, node), target: resolve(path, specifier.text) });
  });
  return { path, source, imports };
}

export function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

/** Calls `visit` with every node below `node`. */
export function forEachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  ts.forEachChild(node, (child) => {
    visit(child);
    forEachNode(child, visit);
  });
}

function findSpecifier(node: ts.Node): ts.StringLiteralLike | undefined {
  let found: ts.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) found = node.moduleSpecifier;
  else if (ts.isExternalModuleReference(node)) found = node.expression;
  else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) found = node.argument.literal;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) found = node.arguments[0];
  return found !== undefined && ts.isStringLiteralLike(found) ? found : undefined;
}

function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, ".ts");
}
