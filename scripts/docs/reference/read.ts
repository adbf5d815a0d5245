import { join, relative } from "node:path";
import ts from "typescript";
import type { Entry } from "../../public-api/entries.js";
import { type EntryDoc, type FieldDoc, type NameDoc, slugOf } from "./reference.js";

interface Reader {
  readonly root: string;
  readonly checker: ts.TypeChecker;
}

/** Reads the doc comments of what the entries export. The root entry is left out if each of its names stands in a subpath. */
export function readReference(root: string, entries: readonly Entry[]): EntryDoc[] {
  const program = createProgram(root, entries);
  const reader = { root, checker: program.getTypeChecker() };
  const [main, ...subpaths] = [...entries].sort((a, b) => (a.specifier < b.specifier ? -1 : 1));
  const docs = subpaths.map((entry) => readEntry(reader, program, entry, () => true));
  const known = new Set(docs.flatMap(({ names }) => names.map(({ name }) => name)));
  if (main === undefined) return docs;
  const rest = readEntry(reader, program, main, (name) => !known.has(name));
  return rest.names.length === 0 ? docs : [rest, ...docs];
}

/** A program of our files alone, which is read in half the time: types stand as in the source, and no package is documented. */
function createProgram(root: string, entries: readonly Entry[]): ts.Program {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options: own } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const options: ts.CompilerOptions = { ...own, types: [], lib: ["lib.es2023.d.ts"] };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      text.startsWith(".")
        ? ts.resolveModuleName(text, from, options, host, undefined, undefined, ts.ModuleKind.ESNext)
        : { resolvedModule: undefined },
    );
  const files = entries.map(({ source }) => join(root, source));
  return ts.createProgram(files, options, host);
}

function readEntry(
  reader: Reader,
  program: ts.Program,
  { specifier, source }: Entry,
  wanted: (name: string) => boolean,
): EntryDoc {
  const file = program.getSourceFile(join(reader.root, source));
  const module = file && reader.checker.getSymbolAtLocation(file);
  if (file === undefined || module === undefined) throw new Error(`${source} is missing or exports nothing.`);
  const names = reader.checker
    .getExportsOfModule(module)
    .filter(({ name }) => wanted(name))
    .map((symbol) => readName(reader, symbol))
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
  const places = names.flatMap(({ place, fields }) => [place, ...fields.map((field) => field.place)]);
  const sources = [source, ...places.map((place) => place.replace(/:\d+$/, ""))];
  return {
    specifier,
    slug: slugOf(specifier),
    text: commentAtTop(file),
    names,
    place: `${source}:1`,
    sources: [...new Set(sources)].sort(),
  };
}

/** The doc comment of a whole file: the first one, if it has `@packageDocumentation`. */
function commentAtTop(file: ts.SourceFile): string {
  const [range] = ts.getLeadingCommentRanges(file.text, 0) ?? [];
  const comment = range === undefined ? "" : file.text.slice(range.pos, range.end);
  if (!comment.includes("@packageDocumentation")) return "";
  const lines = comment.replace(/^\/\*\*|\*\/$/g, "").split("\n");
  const text = lines.map((line) => line.replace(/^\s*\* ?/, "")).join("\n");
  return text.replace("@packageDocumentation", "").trim();
}

function readName(reader: Reader, exported: ts.Symbol): NameDoc {
  const { checker } = reader;
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined) throw new Error(`"${exported.name}" is exported, but declared nowhere.`);
  const fields = symbol.flags & ts.SymbolFlags.Class ? [] : readFields(reader, symbol);
  const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration);
  return {
    name: exported.name,
    kind: kindOf(symbol),
    text: textOf(reader, symbol),
    definition: fields.length === 0 && alias !== undefined ? flat(alias.type) : undefined,
    fields,
    members: symbol.flags & ts.SymbolFlags.Class ? membersOf(reader, symbol) : [],
    place: placeOf(reader, declaration),
  };
}

function membersOf({ checker }: Reader, symbol: ts.Symbol): string[] {
  const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
  return properties.map(({ name }) => name).filter((name) => /^[a-z]\w*$/i.test(name));
}

function kindOf({ flags }: ts.Symbol): NameDoc["kind"] {
  if (flags & ts.SymbolFlags.Class) return "class";
  if (flags & ts.SymbolFlags.Function) return "function";
  if (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) return "type";
  return "constant";
}

/** The fields of an interface or object type; of a union told apart by `type` or `kind`, its members. */
function readFields(reader: Reader, symbol: ts.Symbol): FieldDoc[] {
  if (!(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias))) return [];
  const type = reader.checker.getDeclaredTypeOfSymbol(symbol);
  if (type.isUnion()) {
    const members = readMembers(reader, type, "type") ?? readMembers(reader, type, "kind");
    if (members !== undefined) return members;
    const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration);
    if (alias === undefined || !writesFields(alias.type)) return [];
  } else if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return [];
  return reader.checker
    .getPropertiesOfType(type)
    .flatMap((property) => (isTag(property) ? [] : (readField(reader, property) ?? [])));
}

/** Whether the source writes fields for a union; a list of named types is its own definition. */
function writesFields(node: ts.TypeNode): boolean {
  return (
    ts.isIntersectionTypeNode(node) ||
    (ts.isUnionTypeNode(node) && node.types.every((member) => ts.isTypeLiteralNode(member)))
  );
}

/** Whether a property only says which type it is, such as `readonly component: "model"`: the sentence of the type does. */
function isTag({ name, declarations }: ts.Symbol): boolean {
  const declaration = declarations?.[0];
  return (
    ["type", "kind", "component", "strategy"].includes(name) &&
    declaration !== undefined &&
    ts.isPropertySignature(declaration) &&
    declaration.type !== undefined &&
    ts.isLiteralTypeNode(declaration.type)
  );
}

function readField(reader: Reader, property: ts.Symbol): FieldDoc | undefined {
  const declaration = property.declarations?.find((candidate) => isOwn(reader, candidate));
  if (declaration === undefined || !isNamed(declaration)) return undefined;
  const tag = property.getJsDocTags(reader.checker).find(({ name }) => name === "default");
  return {
    name: property.name,
    type: typeTextOf(reader, declaration),
    required: !(property.flags & ts.SymbolFlags.Optional),
    text: textOf(reader, property),
    defaultValue: tag && ts.displayPartsToString(tag.text).replace(/\s+/g, " ").trim(),
    place: placeOf(reader, declaration),
  };
}

/** Whether a declaration is ours: not one of a package, or of the language. */
function isOwn({ root }: Reader, declaration: ts.Declaration): boolean {
  const path = relative(root, declaration.getSourceFile().fileName);
  return !path.startsWith("..") && !path.includes("node_modules");
}

/** Whether users can write its name: not private, and no symbol. */
function isNamed(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name));
}

/** One field for each member of a union of objects that a tag tells apart, named after its tag. */
function readMembers(reader: Reader, union: ts.UnionType, tagName: string): FieldDoc[] | undefined {
  const members = union.types.map((member) => ({ member, tag: member.getProperty(tagName) }));
  if (!members.every(({ tag }) => tag !== undefined && literalsOf(reader, tag).length > 0)) return undefined;
  return members.flatMap(({ member, tag }) => {
    const declaration = tag?.declarations?.[0];
    if (tag === undefined || declaration === undefined) return [];
    const owner: ts.Symbol | undefined = member.aliasSymbol ?? member.symbol;
    const text = textOf(reader, tag) || (owner === undefined ? "" : textOf(reader, owner));
    const isInterface = owner !== undefined && (owner.flags & ts.SymbolFlags.Interface) !== 0;
    const type = isInterface ? owner.name : contentsOf(declaration);
    const place = placeOf(reader, declaration);
    return literalsOf(reader, tag).map((name) => ({ name, type, required: false, text, place }));
  });
}

function literalsOf({ checker }: Reader, tag: ts.Symbol): string[] {
  const [declaration] = tag.declarations ?? [];
  if (declaration === undefined) return [];
  const type = checker.getTypeOfSymbolAtLocation(tag, declaration);
  const types = type.isUnion() ? type.types : [type];
  return types.every((member) => member.isStringLiteral()) ? types.map((member) => String(member.value)) : [];
}

/** The fields that stand beside the `type` of an event. */
function contentsOf(tag: ts.Declaration): string {
  const members = ts.isTypeLiteralNode(tag.parent) ? tag.parent.members : [];
  const fields = members.filter((member) => member !== tag).map((member) => member.getText().replace(/[;,]$/, ""));
  return fields.length === 0 ? "{}" : shorten(`{ ${fields.join("; ")} }`);
}

function typeTextOf({ checker }: Reader, declaration: ts.Declaration): string {
  if (ts.isPropertySignature(declaration) && declaration.type !== undefined) return flat(declaration.type);
  if (ts.isMethodSignature(declaration)) {
    const parameters = declaration.parameters.map((parameter) => parameter.getText()).join(", ");
    return shorten(`(${parameters}) => ${declaration.type?.getText() ?? "void"}`);
  }
  const symbol = checker.getSymbolAtLocation(ts.getNameOfDeclaration(declaration) ?? declaration);
  return symbol === undefined ? "unknown" : checker.typeToString(checker.getTypeOfSymbol(symbol));
}

function flat(node: ts.TypeNode): string {
  return shorten(node.getText());
}

/** On one line, without comments, `readonly` and the `undefined` of optional properties. */
function shorten(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\breadonly (?=[\w"']+\??:)/g, "")
    .replace(/\s+/g, " ")
    .replace(/^\| /, "")
    .replace(/ \| undefined(?=$|[;,} )])/g, "")
    .trim();
}

function textOf({ checker }: Reader, symbol: ts.Symbol | undefined): string {
  return ts.displayPartsToString(symbol?.getDocumentationComment(checker)).trim();
}

function placeOf({ root }: Reader, declaration: ts.Declaration): string {
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${relative(root, file.fileName).replaceAll("\\", "/")}:${line + 1}`;
}
