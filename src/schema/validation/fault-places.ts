import type { JsonSchema, StandardIssue } from "../standard-schema.js";
import { schemaAt, whatItMayBe } from "./schema-places.js";

/** A place in a value at which, or around which, something does not fit. */
export interface FaultPlace {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly string[];
  /** What the value may be there. */
  readonly schemas: readonly JsonSchema[];
  readonly isOptional: boolean;
}

/** Visits the places that issues point at, and all inside them, from the outside in: what `mend` puts there is visited too. */
export function visitFaults(
  value: object,
  root: JsonSchema,
  issues: readonly StandardIssue[],
  mend: (place: FaultPlace) => void,
): void {
  new FaultVisitor(root, issues.map(keysOf), mend).inside(value, [root], []);
}

/** Deeper down nothing is visited. */
const mostLevels = 64;

class FaultVisitor {
  private readonly root: JsonSchema;
  private readonly faults: readonly (readonly string[])[];
  private readonly mend: (place: FaultPlace) => void;

  constructor(root: JsonSchema, faults: readonly (readonly string[])[], mend: (place: FaultPlace) => void) {
    this.root = root;
    this.faults = faults;
    this.mend = mend;
  }

  inside(value: object, schemas: readonly JsonSchema[], path: readonly string[]): void {
    if (path.length > mostLevels) return;
    const holder = value as Record<string, unknown>;
    const around = whatItMayBe(schemas, this.root);
    for (const key of Object.keys(holder)) {
      if (key !== "__proto__") this.at(holder, key, around, [...path, key]);
    }
  }

  private at(
    holder: Record<string, unknown>,
    key: string,
    around: readonly JsonSchema[],
    path: readonly string[],
  ): void {
    const isAtFault = this.faults.some((fault) => startsWith(path, fault));
    if (!isAtFault && !this.faults.some((fault) => startsWith(fault, path))) return;
    const { schemas, isOptional } = schemaAt(around, key, Array.isArray(holder));
    if (isAtFault) this.mend({ holder, key, path, schemas: whatItMayBe(schemas, this.root), isOptional });
    const value = holder[key];
    if (typeof value === "object" && value !== null) this.inside(value, schemas, path);
  }
}

function keysOf({ path = [] }: StandardIssue): string[] {
  return path.map((step) => String(typeof step === "object" ? step.key : step));
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

/** Lists and records are copied as deep as faults are looked for; everything else stays what it is. */
export function copyToMend(value: object): object {
  return copyOf(value, 0) as object;
}

function copyOf(value: unknown, level: number): unknown {
  if (typeof value !== "object" || value === null || level > mostLevels) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, level + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, level + 1)]));
}
