import { messageOf } from "../../errors.js";
import { kindOf } from "../../wording.js";
import { unknownClass, unreadableValue } from "../checkpoint-errors.js";
import { type AnyClassCodec, classNameOf } from "./class-codec.js";
import { defineOwn, setOwn } from "./own-property.js";
import { emptyError, fillError, type SavedError } from "./saved-error.js";
import type { Tag } from "./tagged.js";
import type { GraphReader } from "./value-graph.js";

type Codecs = ReadonlyMap<string, AnyClassCodec>;
type Parts = readonly unknown[];
type Fields = Record<string, unknown>;

/**
 * Makes errors, records with an own `__proto__`, and instances of registered classes from their parts. When a cycle leads back to
 * an object, its parts are still incomplete. Errors and records are then created empty and filled later; an instance is
 * {@link Pending} until its data is complete.
 */
export class ValueDecoder implements GraphReader {
  readonly #codecs: Codecs;
  readonly #slot: string;
  readonly #late = new LateEntries();
  readonly #shells = new Map<Parts, { readonly shell: object; readonly fill: () => void }>();
  readonly #pending = new Map<Parts, Pending>();

  constructor(codecs: Codecs, slot: string) {
    this.#codecs = codecs;
    this.#slot = slot;
  }

  readonly revivers: Readonly<Record<Tag, (parts: unknown) => unknown>> = {
    Class: (parts) => this.#instance(listOf(parts, 2)),
    Error: (parts) => this.#shell(listOf(parts, 4), shellOfError),
    Record: (parts) => this.#shell(listOf(parts, 2), shellOfRecord),
  };

  set(target: Record<string | number, unknown>, key: string | number, value: unknown): void {
    setOwn(target, key, value instanceof Pending ? undefined : value);
    if (value instanceof Pending) value.whenKnown((instance) => setOwn(target, key, instance));
  }

  addValue(set: Set<unknown>, value: unknown): void {
    this.#late.addValue(set, value);
  }

  addEntry(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
    this.#late.addEntry(map, key, value);
  }

  /** To be called when everything is read. */
  finish(): void {
    for (const { instance } of this.#pending.values())
      if (instance === undefined) throw new TypeError("An instance has no data.");
    for (const [parts, { fill }] of this.#shells) {
      if (!isComplete(parts)) throw new TypeError("An error or record has no content.");
      if (this.#pending.size > 0) fill(); // again, because the parts now hold what was pending
    }
  }

  #shell(parts: Parts, make: (parts: Parts) => { shell: object; fill: () => void }): object {
    let made = this.#shells.get(parts);
    if (made === undefined) {
      made = make(parts);
      this.#shells.set(parts, made);
    }
    if (isComplete(parts)) made.fill();
    return made.shell;
  }

  #instance(parts: Parts): object {
    let pending = this.#pending.get(parts);
    if (isComplete(parts)) {
      const instance = this.#decode(parts);
      pending?.resolve(instance);
      return instance;
    }
    if (pending === undefined) {
      pending = new Pending();
      this.#pending.set(parts, pending);
    }
    return pending;
  }

  #decode([name, data]: Parts): object {
    if (typeof name !== "string") throw new TypeError("An instance has no class.");
    const codec = this.#codecs.get(name);
    if (codec === undefined) throw unknownClass(this.#slot, name, [...this.#codecs.keys()]);
    let instance: unknown;
    try {
      instance = codec.decode(data as never);
    } catch (error) {
      throw unreadableValue(this.#slot, `the codec "${name}" could not decode it: ${messageOf(error)}`, error);
    }
    if (isObject(instance) && Object.prototype.isPrototypeOf.call(codec.type.prototype, instance)) return instance;
    const expected = classNameOf(codec.type);
    throw unreadableValue(
      this.#slot,
      `the codec "${name}" gave back ${kindOf(instance)}, not an instance of ${expected}.`,
    );
  }
}

function shellOfError(parts: Parts): { shell: object; fill: () => void } {
  const error = emptyError(parts[0], recordOf(parts[1]));
  if (error === undefined) throw new TypeError("An error has no known class.");
  return { shell: error, fill: () => fillError(error, savedErrorOf(parts)) };
}

function savedErrorOf([type, texts, links, fields]: Parts): SavedError {
  return { type: String(type), texts: recordOf(texts), links: recordOf(links), fields: recordOf(fields) };
}

function shellOfRecord(parts: Parts): { shell: object; fill: () => void } {
  const shell: object = parts[0] === true ? Object.create(null) : {};
  return { shell, fill: () => fillRecord(shell, parts[1]) };
}

function fillRecord(target: object, pairs: unknown): void {
  const list = listOf(pairs);
  for (let index = 0; index < list.length; index += 2) {
    const key = list[index];
    if (typeof key !== "string") throw new TypeError("A key is not a string.");
    defineOwn(target, key, list[index + 1], true);
  }
}

const isComplete = (parts: Parts): boolean => Object.hasOwn(parts, parts.length - 1);

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function recordOf(value: unknown): Fields {
  if (isObject(value) && !Array.isArray(value)) return value;
  throw new TypeError("A part is not a record.");
}

function listOf(value: unknown, length?: number): Parts {
  if (Array.isArray(value) && (length === undefined || value.length === length)) return value;
  throw new TypeError("The parts of something are missing.");
}

/**
 * Fills maps and sets in order, also when some of their entries do not exist yet. They never contain a {@link Pending}: until the
 * instance exists, a map value is `undefined`, and a key or set member is missing.
 */
class LateEntries {
  /** The complete content, in order, of those in which something was missing. */
  readonly #sets = new Map<Set<unknown>, Set<unknown>>();
  readonly #maps = new Map<Map<unknown, unknown>, Map<unknown, unknown>>();

  addValue(set: Set<unknown>, value: unknown): void {
    if (!(value instanceof Pending)) {
      set.add(value);
      this.#sets.get(set)?.add(value);
      return;
    }
    const whole = getOrAdd(this.#sets, set, () => new Set(set));
    if (!whole.has(value)) value.whenKnown(() => refillSet(set, whole));
    whole.add(value);
  }

  addEntry(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
    if (!(key instanceof Pending || value instanceof Pending)) {
      map.set(key, value);
      this.#maps.get(map)?.set(key, value);
      return;
    }
    const whole = getOrAdd(this.#maps, map, () => new Map(map));
    if (!(key instanceof Pending)) map.set(key, undefined);
    else if (!whole.has(key)) key.whenKnown(() => refillMap(map, whole));
    whole.set(key, value);
    if (!(value instanceof Pending)) return;
    value.whenKnown((instance) => {
      if (isKnown(key) && whole.get(key) === value) map.set(known(key), instance);
    });
  }
}

function refillSet(set: Set<unknown>, whole: ReadonlySet<unknown>): void {
  set.clear();
  for (const value of whole) if (isKnown(value)) set.add(known(value));
}

function refillMap(map: Map<unknown, unknown>, whole: ReadonlyMap<unknown, unknown>): void {
  map.clear();
  for (const [key, value] of whole) if (isKnown(key)) map.set(known(key), known(value));
}

const isKnown = (value: unknown): boolean => !(value instanceof Pending) || value.instance !== undefined;

const known = (value: unknown): unknown => (value instanceof Pending ? value.instance : value);

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** Stands for an instance that does not exist yet, where a cycle leads back to it. */
class Pending {
  readonly #waiting: ((instance: object) => void)[] = [];
  #instance: object | undefined;

  get instance(): object | undefined {
    return this.#instance;
  }

  whenKnown(listener: (instance: object) => void): void {
    this.#waiting.push(listener);
  }

  resolve(instance: object): void {
    this.#instance = instance;
    for (const listener of this.#waiting.splice(0)) listener(instance);
  }
}
