import { isFields } from "../../is.js";
import type { KeywordProblem } from "./keyword-values.js";
import { subschemaKinds } from "./schema-nodes.js";

/**
 * Prepares a schema for any validator, in place: writes its references as pointers from its root (`#/$defs/city`), and removes the
 * names to which they led and the keywords that check nothing, which validators take for schemas with names of their own. Returns
 * the names that are not valid and the references that lead nowhere; if there are any, the schema is not changed.
 */
export function prepareSchema(schema: Record<string, unknown>): readonly KeywordProblem[] {
  const names = new SchemaNames(schema);
  if (names.problems.length === 0) names.rewrite();
  return names.problems;
}

type Path = readonly string[];
type Node = Record<string, unknown>;

interface Place {
  readonly node: Node;
  readonly path: Path;
  /** The URI against which its references are resolved. */
  readonly base: string;
  /** Whether it stands where JSON Schema has schemas, and not under a keyword of others, such as `components`. */
  readonly isKnown: boolean;
}

interface Named {
  readonly path: Path;
  readonly value: unknown;
}

interface Reference {
  readonly node: Node;
  readonly path: Path;
  readonly keyword: string;
  readonly target: Path;
}

/** The URI of a schema without an `$id`. */
const rootUri = "https://kumiko.invalid/~root";
const referenceKeywords = ["$ref", "$dynamicRef", "$recursiveRef"];
const nameKeywords = ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];
/** The keywords that check a value, or hold schemas to which references lead. */
const checkedKeywords: readonly string[] = [
  ...["$ref", "$defs", "definitions", "type", "nullable", "const", "enum", "format", "pattern", "multipleOf"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"],
  ...["minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties"],
  ...["unevaluatedProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "prefixItems"],
  ...["items", "additionalItems", "unevaluatedItems", "uniqueItems", "contains", "minContains", "maxContains"],
  ...["not", "anyOf", "allOf", "oneOf", "if", "then", "else"],
];

class SchemaNames {
  readonly problems: KeywordProblem[] = [];
  readonly #schema: Node;
  readonly #places = new Map<string, Place>();
  readonly #names = new Map<string, Named>();
  readonly #dynamicNames = new Map<string, number>();
  readonly #references: Reference[] = [];
  readonly #reported = new Set<string>();

  constructor(schema: Node) {
    this.#schema = schema;
    this.#names.set(rootUri, { path: [], value: schema });
    this.#visit(schema, [], rootUri, true);
    // references may lead to schemas under unknown keywords, which have references of their own
    for (const place of this.#places.values()) this.#resolveAll(place);
    if (this.problems.length === 0) this.#findLoops();
  }

  rewrite(): void {
    const pointers = new Map<string, string>();
    for (const { node, keyword, target } of this.#references) {
      const key = JSON.stringify(target);
      let pointer = pointers.get(key);
      if (pointer === undefined) {
        pointer = this.#isOutOfTheWay(key, target) ? this.#copied(target) : pointerOf(target);
        pointers.set(key, pointer);
      }
      setReference(node, keyword, pointer);
    }
    for (const { node } of this.#places.values()) {
      for (const keyword of Object.keys(node)) {
        if (!checkedKeywords.includes(keyword)) Reflect.deleteProperty(node, keyword);
      }
    }
  }

  #visit(value: unknown, path: Path, around: string, isKnown: boolean): void {
    if (!isFields(value)) return;
    const node = value as Node;
    const base = this.#nameNode(node, path, around);
    this.#places.set(JSON.stringify(path), { node, path, base, isKnown });
    for (const [keyword, inner] of Object.entries(node)) {
      const kind = subschemaKinds(keyword, inner);
      if (kind === "schema") this.#visit(inner, [...path, keyword], base, isKnown);
      else if (kind !== "value") {
        for (const [key, one] of Object.entries(inner as object)) {
          this.#visit(one, [...path, keyword, key], base, isKnown);
        }
      }
    }
  }

  /** Notes the names of a schema, and returns the URI against which references inside it are resolved. */
  #nameNode(node: Node, path: Path, around: string): string {
    let base = around;
    const { $id } = node;
    if (typeof $id === "string") {
      const uri = isUriReference($id) ? resolve($id, around) : undefined;
      if (uri === undefined) this.#problem(path, "$id", `${JSON.stringify($id)} is not a valid URI reference`);
      // before 2019-09, anchors were ids
      else if ($id.startsWith("#")) this.#name(uri, path, "$id", node);
      else if (/#./.test($id)) this.#problem(path, "$id", `${JSON.stringify($id)} has a fragment`);
      else {
        base = withoutFragment(uri);
        this.#name(base, path, "$id", node);
      }
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = node[keyword];
      if (typeof anchor !== "string") continue;
      if (!/^[A-Za-z_][-A-Za-z0-9._]*$/.test(anchor)) {
        this.#problem(path, keyword, `${JSON.stringify(anchor)} is not a valid name`);
        continue;
      }
      this.#name(`${base}#${anchor}`, path, keyword, node);
      if (keyword === "$dynamicAnchor") this.#dynamicNames.set(anchor, (this.#dynamicNames.get(anchor) ?? 0) + 1);
    }
    return base;
  }

  #name(uri: string, path: Path, keyword: string, value: unknown): void {
    const other = this.#names.get(uri);
    this.#names.set(uri, other ?? { path, value });
    if (other === undefined || other.value === value) return;
    const reason = `${JSON.stringify(Reflect.get(value as object, keyword))} names more than one schema`;
    const first = nameKeywords.find((name) => Reflect.get(other.value as object, name) !== undefined);
    if (first !== undefined) this.#problem(other.path, first, reason);
    this.#problem(path, keyword, reason);
  }

  #resolveAll(place: Place): void {
    for (const keyword of referenceKeywords) {
      const reference = place.node[keyword];
      if (typeof reference !== "string") continue;
      const target = this.#targetOf(reference, place.base);
      if (target === undefined) {
        this.#problem(place.path, keyword, `${JSON.stringify(reference)} cannot be resolved`);
      } else if (this.#isDynamic(keyword, reference)) {
        this.#problem(
          place.path,
          keyword,
          `${JSON.stringify(reference)} leads to several schemas, depending on the way`,
        );
      } else this.#references.push({ node: place.node, path: place.path, keyword, target });
    }
  }

  /** Whether a reference leads to different schemas, depending on the references that led there. */
  #isDynamic(keyword: string, reference: string): boolean {
    if (keyword === "$dynamicRef") return (this.#dynamicNames.get(reference.replace(/^[^#]*#/, "")) ?? 0) > 1;
    if (keyword !== "$recursiveRef") return false;
    const anchored = [...this.#places.values()].filter(({ node }) => node.$recursiveAnchor === true);
    return anchored.length > 1 || (anchored.length === 1 && anchored[0]?.path.length !== 0);
  }

  #targetOf(reference: string, base: string): Path | undefined {
    const uri = resolve(reference, base);
    if (uri === undefined) return undefined;
    const fragment = uri.slice(withoutFragment(uri).length + 1);
    if (fragment !== "" && !fragment.startsWith("/")) return this.#names.get(uri)?.path;
    const resource = this.#names.get(withoutFragment(uri));
    const keys = keysOf(fragment);
    if (resource === undefined || keys === undefined) return undefined;
    const path = [...resource.path, ...keys];
    return this.#find(path, withoutFragment(uri)) ? path : undefined;
  }

  /** Whether there is a schema at a path. If nothing else led there, it is visited now. */
  #find(path: Path, base: string): boolean {
    if (this.#places.has(JSON.stringify(path))) return true;
    let value: unknown = this.#schema;
    for (const key of path) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
      value = Reflect.get(value, key);
    }
    if (typeof value === "boolean") return true;
    this.#visit(value, path, base, false);
    return isFields(value);
  }

  /** Whether validators may miss the schema at a path: under an unknown keyword, or beside a member that is called `$id`. */
  #isOutOfTheWay(key: string, path: Path): boolean {
    if (this.#places.get(key)?.isKnown === false) return true;
    let around: unknown = this.#schema;
    return path.some((step, index) => {
      const isMap = isFields(around) && !this.#places.has(JSON.stringify(path.slice(0, index)));
      if (isMap && Object.hasOwn(around as object, "$id")) return true;
      around = Reflect.get(around as object, step);
      return false;
    });
  }

  /** Copies a schema to where every validator finds it. */
  #copied(path: Path): string {
    const { definitions: given } = this.#schema;
    const definitions: Node = isFields(given) ? (given as Node) : {};
    this.#schema.definitions = definitions;
    const name = `~${path.join("/")}`;
    definitions[name] = this.#places.get(JSON.stringify(path))?.node;
    return pointerOf(["definitions", name]);
  }

  /** Finds references that lead back to themselves without a step into the value, so that checking would not end. */
  #findLoops(): void {
    const references = new Map<Node, Reference[]>();
    for (const one of this.#references) references.set(one.node, [...(references.get(one.node) ?? []), one]);
    const done = new Set<string>();
    /** The schemas on the way, with the reference that led to each. */
    const way = new Map<string, Reference | undefined>();
    const visit = (path: Path, by: Reference | undefined): void => {
      const key = JSON.stringify(path);
      const place = this.#places.get(key);
      if (place === undefined || done.has(key)) return;
      if (way.has(key)) {
        const since = [...way.keys()].slice([...way.keys()].indexOf(key) + 1);
        const closing = by ?? since.map((one) => way.get(one)).findLast((one) => one !== undefined);
        if (closing !== undefined) this.#problem(closing.path, closing.keyword, "it leads back to itself");
        return;
      }
      way.set(key, by);
      for (const one of references.get(place.node) ?? []) visit(one.target, one);
      for (const inner of samePlace(place)) visit(inner, undefined);
      way.delete(key);
      done.add(key);
    };
    for (const { path } of this.#places.values()) visit(path, undefined);
  }

  #problem(around: Path, keyword: string, reason: string): void {
    const path = [...around, keyword];
    const key = JSON.stringify(path);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.problems.push({ path, reason });
  }
}

/** The schemas inside another one that apply to the same value. */
function samePlace({ node, path }: Place): Path[] {
  const paths: Path[] = [];
  for (const keyword of ["allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"]) {
    const inner = node[keyword];
    if (typeof inner === "object" && inner !== null) {
      paths.push(...Object.keys(inner).map((key) => [...path, keyword, key]));
    }
  }
  return [...paths, ...["not", "if", "then", "else"].map((keyword) => [...path, keyword])];
}

function setReference(node: Node, keyword: string, pointer: string): void {
  Reflect.deleteProperty(node, keyword);
  if (node.$ref === undefined) {
    node.$ref = pointer;
    return;
  }
  const others: readonly unknown[] = Array.isArray(node.allOf) ? node.allOf : [];
  node.allOf = [...others, { $ref: pointer }];
}

/** The characters that RFC 3986 allows, and complete percent-encodings. */
const isUriReference = (text: string): boolean =>
  /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/.test(text);

function resolve(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

const withoutFragment = (uri: string): string => uri.replace(/#.*$/s, "");

/** The keys of a JSON Pointer in a fragment; `undefined` if its percent-encodings are wrong. */
function keysOf(fragment: string): readonly string[] | undefined {
  try {
    const steps = decodeURIComponent(fragment).split("/").slice(1);
    return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}

/** Encoded as both validators read it. */
function pointerOf(path: Path): string {
  const steps = path.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"));
  return `#${steps.map((step) => `/${encodeURI(step).replaceAll("#", "%23")}`).join("")}`;
}
