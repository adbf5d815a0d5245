import {
  addPart,
  type CopiedPart,
  compareAgain,
  isAlike,
  isFixed,
  ObjectCopy,
  OtherCopy,
  Shared,
  setPart,
} from "./copied-part.js";
import { deepest } from "./depth.js";
import { isJsonLeaf, isPlainList, isPlainRecord } from "./json-tree.js";
import { type Made, PartTexts, type RepeatedValues, referring } from "./made-part.js";
import { quoted } from "./quoted.js";
import type { SavedForm, SharedIds } from "./saved-form.js";
import { mark } from "./tree.js";
import type { ValueCodec } from "./value-codec.js";

interface Compared {
  readonly copy: CopiedPart;
  /** `undefined` when only the object is another one. */
  readonly change: string | undefined;
}

/** How a state has changed: its whole text, or differences as text, some of which may be empty. */
export type StateChange = { readonly whole: string } | StateDifference;

export interface StateDifference {
  /** The change of the tree. */
  readonly change: string;
  /** The changes of shared objects, by id. */
  readonly shared: string;
  /** Objects that become shared after these changes, by their paths at that point. */
  readonly names: string;
}

/** Thrown for a value that cannot be written as a tree, only as a graph. */
const noTree: unique symbol = Symbol("no tree");
/** Returned when a value is better written as a whole. */
const other: unique symbol = Symbol("other");
/** The round of a copy whose object was found at another position. */
const elsewhere = -1;

/** The length from which writing only the end of an extended string is worth it. */
const longText = 64;

/**
 * A copy of a state as it was last saved, which finds what has changed since as a difference of trees. An object that occurs more
 * than once gets an id, and is stored beside the tree from then on.
 */
export class StateCopy {
  readonly #codec: ValueCodec;
  readonly #slot: string;
  #root: CopiedPart = null;
  /** The saved text of a state that is not a tree. */
  #text: string | undefined = undefined;
  #round = 0;
  /** The objects in the tree, and their copies. */
  readonly #known = new Map<object, ObjectCopy>();
  /** The objects inside values that JSON cannot represent, in this round. */
  #hidden: object[] = [];
  /** The copies found to be shared in this round. */
  #found: ObjectCopy[] = [];
  #lastId = 0;
  /** Of the objects that are shared in the document that the state was read from. */
  #ids: SharedIds["ids"] | undefined = undefined;
  /** The differences of shared objects in this round, as text. */
  #sharedChanges = "";

  /** `slot` is the start of the path in error messages. */
  constructor(codec: ValueCodec, slot: string) {
    this.#codec = codec;
    this.#slot = slot;
  }

  /** Copies the value as it was read. What changes is written to the same document, and has to fit the form that it has there. */
  takeRead(value: unknown, form: SavedForm | undefined): void {
    if (form === "graph") {
      this.#text = this.#codec.encode(value, this.#slot);
      return;
    }
    this.#ids = form?.ids;
    try {
      this.#take(value, form?.last ?? 0);
    } finally {
      this.#ids = undefined;
    }
  }

  /** Copies the value as it is now, and returns its text for a document. */
  take(value: unknown): string {
    return this.#take(value, 0);
  }

  #take(value: unknown, lastId: number): string {
    this.#known.clear();
    this.#lastId = lastId;
    this.#begin();
    try {
      const made = this.#make(value, 0);
      this.#checkHidden();
      this.#root = made.copy;
      this.#text = undefined;
      const names = this.#nameFound();
      if (names !== "") return `{"tree":${made.text},"names":${names}}`;
      return made.isPlain ? `{"json":${made.text}}` : `{"tree":${made.text}}`;
    } catch {
      // if it cannot be saved at all, this throws the error that says why and where
      this.#known.clear();
      this.#text = this.#codec.encode(value, this.#slot);
      return this.#text;
    }
  }

  /** Returns what has changed since; `undefined` when nothing has. After an error, only {@link take} may follow. */
  update(value: unknown, repeated: RepeatedValues): StateChange | undefined {
    const before = this.#text;
    if (before !== undefined) {
      const whole = this.#codec.encode(value, this.#slot);
      if (whole === before) return undefined;
      this.#text = whole;
      return { whole };
    }
    this.#begin();
    try {
      const found = this.#compare(this.#root, value, 0, repeated);
      this.#checkHidden();
      if (found !== undefined) this.#root = found.copy;
      const change = found?.change ?? "";
      const shared = this.#sharedChanges === "" ? "" : `{${this.#sharedChanges}}`;
      const names = this.#nameFound();
      return change === "" && shared === "" && names === "" ? undefined : { change, shared, names };
    } catch {
      return { whole: this.take(value) };
    }
  }

  #begin(): void {
    this.#round++;
    this.#hidden = [];
    this.#found = [];
    this.#sharedChanges = "";
  }

  /** Throws when an object inside a value that JSON cannot represent occurs more than once. */
  #checkHidden(): void {
    if (this.#hidden.length === 0) return;
    if (new Set(this.#hidden).size < this.#hidden.length) throw noTree;
    for (const object of this.#hidden) if (this.#isFound(this.#known.get(object))) throw noTree;
  }

  /** Moves objects that have become shared out of the tree; returns where they were, as text. */
  #nameFound(): string {
    if (this.#found.length === 0) return "";
    return `[${this.#found.map((copy) => this.#takeOut(copy)).join(",")}]`;
  }

  #takeOut(copy: ObjectCopy): string {
    const steps: (string | number)[] = [];
    let outer = copy;
    while (outer.parent !== undefined) {
      const index = outer.parent.parts.indexOf(outer);
      if (index === -1) throw noTree;
      steps.unshift(outer.parent.keys?.[index] ?? index);
      outer = outer.parent;
    }
    if (!outer.isApart && outer !== this.#root) throw noTree;
    const from = outer.isApart ? outer.id : null;
    const { parent } = copy;
    const part = new Shared(copy);
    if (parent === undefined) this.#root = part;
    else parent.parts[parent.parts.indexOf(copy)] = part;
    compareAgain(parent);
    copy.parent = undefined;
    copy.isApart = true;
    return JSON.stringify([from, steps, copy.id]);
  }

  // comparing

  /** Compares a part with its value now. Returns the new copy and the change; `undefined` when nothing has changed. */
  #compare(part: CopiedPart, value: unknown, depth: number, repeated: RepeatedValues): Compared | undefined {
    if (typeof value !== "object" || value === null) return this.#compareLeaf(part, value, depth, repeated);
    if (part instanceof Shared && part.copy.source === value) {
      this.#visit(part.copy, depth, repeated);
      return undefined;
    }
    if (!(part instanceof ObjectCopy) || !isAlike(part, value) || this.#isElsewhere(part, value)) {
      return this.#replace(part, value, depth, repeated);
    }
    if (part.isFixed && part.source === value) {
      part.round = this.#round;
      return undefined;
    }
    this.#find(part, value);
    const hidden = this.#hidden.length;
    const change = this.#compareParts(part, depth, repeated);
    if (change === other) {
      this.#hidden.length = hidden;
      return this.#replace(part, value, depth, repeated);
    }
    part.isFixed = isFixed(part);
    return change === undefined ? undefined : { copy: part, change };
  }

  #compareParts(copy: ObjectCopy, depth: number, repeated: RepeatedValues): string | undefined | typeof other {
    const { source, keys } = copy;
    return keys === undefined
      ? this.#compareList(copy, source as readonly unknown[], depth, repeated)
      : this.#compareRecord(copy, keys, source, depth, repeated);
  }

  /** Compares a shared object, once per round. */
  #visit(copy: ObjectCopy, depth: number, repeated: RepeatedValues): void {
    if (copy.round === this.#round || !copy.isApart) return;
    copy.round = this.#round;
    const change = this.#compareParts(copy, depth, repeated);
    if (change === other) throw noTree;
    if (change !== undefined) this.#sharedChanges += `${this.#sharedChanges === "" ? "" : ","}"${copy.id}":${change}`;
  }

  /** Whether the object at this position was also found at another one, in this round or before. */
  #isElsewhere(part: ObjectCopy, value: object): boolean {
    if (part.source === value) return part.round === elsewhere;
    const known = this.#known.get(value);
    return known !== undefined && (known.id > 0 || this.#isFound(known));
  }

  /** Whether its source was found in this round: itself, or something fixed around it. */
  #isFound(copy: ObjectCopy | undefined): boolean {
    let found = copy;
    while (found !== undefined && found.round !== this.#round) found = found.parent?.isFixed ? found.parent : undefined;
    return found !== undefined;
  }

  #compareLeaf(part: CopiedPart, value: unknown, depth: number, repeated: RepeatedValues): Compared | undefined {
    if (Object.is(part, value)) return undefined;
    if (typeof part !== "string" || typeof value !== "string" || part.length < longText || !value.startsWith(part)) {
      return this.#replace(part, value, depth, repeated);
    }
    return { copy: value, change: `["text",${quoted(value.slice(part.length))}]` };
  }

  #replace(part: CopiedPart, value: unknown, depth: number, repeated: RepeatedValues): Compared | undefined {
    this.#forget(part);
    const { copy, text } = this.#make(value, depth, repeated);
    if (part instanceof OtherCopy && copy instanceof OtherCopy && part.text === copy.text) return undefined;
    return { copy, change: `["set",${text}]` };
  }

  /** Returns `undefined` when nothing has changed, {@link other} when the record is better written as a whole. */
  #compareRecord(
    copy: ObjectCopy,
    keys: string[],
    value: object,
    depth: number,
    repeated: RepeatedValues,
  ): string | undefined | typeof other {
    let changes = "";
    let index = 0;
    const { parts } = copy;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      // keys in between that were removed
      while (index < keys.length && keys[index] !== key) {
        const missing = keys[index] ?? "";
        if (Object.hasOwn(value, missing)) return other; // the order has changed
        changes += `${changes === "" ? "" : ","}${quoted(missing)}:[]`;
        this.#forget(parts[index] ?? null);
        keys.splice(index, 1);
        parts.splice(index, 1);
      }
      const now: unknown = Reflect.get(value, key);
      if (index === keys.length) {
        if (keys.includes(key)) return other;
        const made = this.#make(now, depth + 1, repeated);
        keys.push(key);
        addPart(copy, made.copy);
        changes += `${changes === "" ? "" : ","}${quoted(key)}:["set",${made.text}]`;
      } else {
        const found = this.#compare(parts[index] ?? null, now, depth + 1, repeated);
        if (found !== undefined) {
          setPart(copy, index, found.copy);
          if (found.change !== undefined) changes += `${changes === "" ? "" : ","}${quoted(key)}:${found.change}`;
        }
      }
      index++;
    }
    for (let n = index; n < keys.length; n++) {
      changes += `${changes === "" ? "" : ","}${quoted(keys[n] ?? "")}:[]`;
      this.#forget(parts[n] ?? null);
    }
    keys.length = index;
    parts.length = index;
    if (index === 1 && keys[0] === mark) return other;
    return changes === "" ? undefined : `{${changes}}`;
  }

  #compareList(
    copy: ObjectCopy,
    list: readonly unknown[],
    depth: number,
    repeated: RepeatedValues,
  ): string | undefined | typeof other {
    const dropped = this.#droppedFrom(copy, list);
    for (let n = 0; n < dropped; n++) this.#forget(copy.parts[n] ?? null);
    const parts = dropped === 0 ? copy.parts : copy.parts.slice(dropped);
    copy.parts = parts;
    const kept = Math.min(parts.length, list.length);
    let changes = "";
    for (let index = 0; index < kept; index++) {
      const now = list[index];
      if (now === undefined && !Object.hasOwn(list, index)) return other;
      const found = this.#compare(parts[index] ?? null, now, depth + 1, repeated);
      if (found === undefined) continue;
      setPart(copy, index, found.copy);
      if (found.change !== undefined) changes += `${changes === "" ? "" : ","}"${index}":${found.change}`;
    }
    const isShorter = parts.length > kept;
    for (let n = kept; n < parts.length; n++) this.#forget(parts[n] ?? null);
    parts.length = kept;
    let added = "";
    for (let index = kept; index < list.length; index++) {
      if (list[index] === undefined && !Object.hasOwn(list, index)) return other;
      const made = this.#make(list[index], depth + 1, repeated);
      addPart(copy, made.copy);
      added += `${added === "" ? "" : ","}${made.text}`;
    }
    if (dropped === 0 && changes === "" && !isShorter && added === "") return undefined;
    if (dropped === 0 && changes === "" && !isShorter) return `["add",${added}]`;
    return `["list",{${changes}},${dropped},${kept},[${added}]]`;
  }

  /** How many items were removed from the front: the first item now is an object that used to be further back. */
  #droppedFrom({ parts }: ObjectCopy, [first]: readonly unknown[]): number {
    if (typeof first !== "object" || first === null) return 0;
    const known = this.#known.get(first);
    const isFirst = (part: CopiedPart | undefined): boolean =>
      part === known || (part instanceof Shared && part.copy === known);
    return known === undefined || isFirst(parts[0]) ? 0 : Math.max(0, parts.findIndex(isFirst));
  }

  // copies

  /** Copies a new value, and returns the copy and its text. All its parts are looked up among repeated values. */
  #make(value: unknown, depth: number, repeated?: RepeatedValues): Made {
    if (typeof value !== "object" || value === null) return this.#makeLeaf(value, repeated);
    if (depth > deepest) throw noTree; // the codec then reports the error
    const known = this.#known.get(value);
    if (known !== undefined && (known.id > 0 || this.#isFound(known))) {
      return this.#share(known, depth, repeated);
    }
    if (isPlainList(value)) return this.#apart(this.#makeList(value, depth, repeated));
    if (!isPlainRecord(value)) return this.#makeOther(value);
    return this.#apart(this.#makeRecord(value, depth, repeated));
  }

  #makeLeaf(value: unknown, repeated: RepeatedValues | undefined): Made {
    if (!isJsonLeaf(value)) return this.#makeOther(value);
    if (typeof value !== "string") return { copy: value, text: String(value), isPlain: true };
    return referring(repeated, { copy: value, text: quoted(value), isPlain: true });
  }

  #makeList(list: readonly unknown[], depth: number, repeated: RepeatedValues | undefined): Made {
    const copy = this.#keep(list, undefined);
    const texts = new PartTexts();
    for (const item of list) {
      const made = this.#make(item, depth + 1, repeated);
      addPart(copy, made.copy);
      texts.add("", made);
    }
    copy.isFixed = isFixed(copy);
    return texts.made(copy, "[", "]");
  }

  #makeRecord(record: object, depth: number, repeated: RepeatedValues | undefined): Made {
    const keys = Object.keys(record);
    const copy = this.#keep(record, keys);
    const texts = new PartTexts();
    for (const key of keys) {
      const made = this.#make(Reflect.get(record, key), depth + 1, repeated);
      addPart(copy, made.copy);
      texts.add(`${quoted(key)}:`, made);
    }
    copy.isFixed = isFixed(copy);
    if (keys.length !== 1 || keys[0] !== mark) return referring(repeated, texts.made(copy, "{", "}"));
    // a record that looks like a mark is never changed in part
    this.#hide(copy);
    const escaped = `{"${mark}":{"own":${texts.full.slice(mark.length + 3)}}}`;
    return { copy: new OtherCopy(escaped), text: escaped, isPlain: false };
  }

  /** The shared objects of a document stay there, even if only one place refers to it by now. */
  #apart(made: Made): Made {
    const { copy } = made;
    if (!(copy instanceof ObjectCopy) || copy.id === 0) return made;
    return { copy: new Shared(copy), text: refTo(copy), isPlain: false };
  }

  #makeOther(value: unknown): Made {
    const { text, objects } = this.#codec.encodeParts(value, this.#slot);
    this.#hidden.push(...objects);
    return { copy: new OtherCopy(text), text: `{"${mark}":${text}}`, isPlain: false };
  }

  /** Refers to an object that also occurs elsewhere. */
  #share(copy: ObjectCopy, depth: number, repeated: RepeatedValues | undefined): Made {
    if (copy.id === 0) {
      copy.id = ++this.#lastId;
      this.#found.push(copy);
    } else this.#visit(copy, depth, repeated ?? nothingRepeated);
    return { copy: new Shared(copy), text: refTo(copy), isPlain: false };
  }

  #keep(source: object, keys: string[] | undefined): ObjectCopy {
    const copy = new ObjectCopy(source, keys, this.#round);
    copy.id = this.#ids?.get(source) ?? 0;
    copy.isApart = copy.id > 0;
    this.#place(copy, source);
    return copy;
  }

  /** Notes that the copy was found: its source may be another object now. */
  #find(copy: ObjectCopy, source: object): void {
    copy.round = this.#round;
    if (copy.source === source) return;
    if (this.#known.get(copy.source) === copy) this.#known.delete(copy.source);
    copy.source = source;
    this.#place(copy, source);
  }

  #place(copy: ObjectCopy, source: object): void {
    const former = this.#known.get(source);
    if (former !== undefined) {
      former.round = elsewhere;
      compareAgain(former.parent);
    }
    this.#known.set(source, copy);
  }

  #hide(part: CopiedPart): void {
    if (part instanceof Shared) throw noTree;
    if (!(part instanceof ObjectCopy)) return;
    this.#known.delete(part.source);
    this.#hidden.push(part.source);
    for (const inner of part.parts) this.#hide(inner);
  }

  /** Removes the copies of a part. Shared objects stay, because they may be referred to again. */
  #forget(part: CopiedPart): void {
    if (!(part instanceof ObjectCopy)) return;
    if (this.#known.get(part.source) === part) this.#known.delete(part.source);
    for (const inner of part.parts) this.#forget(inner);
  }
}

function refTo({ id }: ObjectCopy): string {
  return `{"${mark}":{"ref":${id}}}`;
}

const nothingRepeated: RepeatedValues = { refer: (text) => text };
