import ts from "typescript";
import type { CodeBlock, Passage } from "./markdown.js";

/** A place in a page or in a source file. */
export interface Origin {
  readonly page: string;
  readonly line: number;
}

/** A module made of a block, of what stands before it, and of imports. */
export interface Snippet {
  readonly origin: Origin;
  readonly lines: readonly { readonly text: string; readonly origin: Origin }[];
  /** The index of an empty line right before the block's own text. */
  readonly start: number;
  /** What the compiler must say of it, instead of nothing. */
  readonly errors?: Passage | undefined;
}

/** Names that a snippet may use without importing them, each with where it comes from, as the snippet has to write it. */
export type FreeNames = ReadonlyMap<string, string>;

/** A block of a page as a module, with nothing but what stands above it. */
export function blockSnippet(block: CodeBlock): Snippet {
  const imported = new Set<string>();
  const passages = [...block.before, block].map((passage) =>
    block.continues ? dropRepeatedImports(passage, imported) : passage,
  );
  return { ...assemble(block, [], passages), errors: block.errors };
}

/** An `@example` as the body of an async function: its own imports stand above, and names of the package are there. */
export function exampleSnippet(example: Passage, free: FreeNames): Snippet {
  const source = parse(example.text);
  const own = source.statements.filter(ts.isImportDeclaration);
  const imports = own.map((statement) => statement.getText(source).replace(/\s+/g, " "));
  const text = own.reduce((rest, statement) => blank(rest, statement.getStart(source), statement.end), example.text);
  const header = [
    ...importLines(example.text, free, topLevelNames(imports.join("\n"))),
    ...imports,
    "export async function example() {",
  ];
  return assemble(example, header, [{ ...example, text }], "}");
}

function assemble(
  own: Passage,
  header: readonly string[],
  passages: readonly Passage[],
  footer = "export {};",
): Snippet {
  const origin: Origin = { page: own.page, line: own.line };
  const added = (text: string) => ({ text, origin });
  const before = passages.slice(0, -1).flatMap(linesOf);
  const lines = [...header.map(added), ...before];
  return {
    origin,
    start: lines.length,
    lines: [...lines, added(""), ...passages.slice(-1).flatMap(linesOf), added(footer)],
  };
}

function linesOf({ page, line, text }: Passage): { text: string; origin: Origin }[] {
  return text.split("\n").map((content, index) => ({ text: content, origin: { page, line: line + index } }));
}

/** One import per free name that the text uses and does not declare. */
function importLines(text: string, free: FreeNames, declared: ReadonlySet<string>): string[] {
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(parse(text));
  return [...used].flatMap((name) => {
    const specifier = declared.has(name) ? undefined : free.get(name);
    return specifier === undefined ? [] : [`import { ${name} } from "${specifier}";`];
  });
}

/** What a module declares or imports. */
export function topLevelNames(text: string): Set<string> {
  const names = new Set<string>();
  const add = (name: ts.BindingName | ts.Identifier | undefined): void => {
    if (name === undefined) return;
    if (ts.isIdentifier(name)) names.add(name.text);
    else for (const element of name.elements) if (ts.isBindingElement(element)) add(element.name);
  };
  for (const statement of parse(text).statements) {
    if (ts.isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) add(name);
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) add(statement.name);
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) add(statement.name);
    if (!ts.isImportDeclaration(statement)) continue;
    add(statement.importClause?.name);
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined) continue;
    if (ts.isNamespaceImport(bindings)) add(bindings.name);
    else for (const { name } of bindings.elements) add(name);
  }
  return names;
}

/** A block that continues another imports what it uses once more; in one module, the second import of a name has to go. */
function dropRepeatedImports(passage: Passage, imported: Set<string>): Passage {
  let { text } = passage;
  for (const statement of parse(text).statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const clause = statement.importClause;
    if (clause?.namedBindings === undefined || !ts.isNamedImports(clause.namedBindings)) continue;
    for (const element of clause.namedBindings.elements) {
      const typeOnly = clause.isTypeOnly || element.isTypeOnly;
      const original = element.propertyName?.text ?? element.name.text;
      const binding = `${original} as ${element.name.text} from ${statement.moduleSpecifier.text}`;
      // An import of the value stands for the type too, not the other way round.
      if (imported.has(binding) || (typeOnly && imported.has(`type ${binding}`))) {
        const comma = /^\s*,/.exec(text.slice(element.end))?.[0].length ?? 0;
        text = blank(text, element.getStart(), element.end + comma);
      }
      imported.add(typeOnly ? `type ${binding}` : binding);
    }
  }
  return { ...passage, text };
}

/** Replaces a part of a text by spaces; lines and columns stay. */
function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, " ") + text.slice(end);
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile("snippet.ts", text, ts.ScriptTarget.Latest, true);
}
