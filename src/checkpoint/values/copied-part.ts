import { isPlainList, isPlainRecord } from "./json-tree.js";

/** The copy of a part of a state: of a primitive value, the value itself. */
export type CopiedPart = string | number | boolean | null | ObjectCopy | OtherCopy | Shared;

/** The copy of a record or a list as it was saved; a list has no keys. */
export class ObjectCopy {
  source: object;
  readonly keys: string[] | undefined;
  parts: CopiedPart[] = [];
  /** The number of the last comparison that found its source. */
  round: number;
  /** The copy that contains it; `undefined` for the root, and for shared objects. */
  parent: ObjectCopy | undefined = undefined;
  /** The id of an object that occurs more than once; 0 for all others. */
  id = 0;
  /** Whether it is stored among the shared objects, beside the tree. */
  isApart = false;
  /** Whether neither the source nor anything in it can change: then it need not be compared again. */
  isFixed = false;

  constructor(source: object, keys: string[] | undefined, round: number) {
    this.source = source;
    this.keys = keys;
    this.round = round;
  }
}

/** One occurrence of an object that occurs more than once. */
export class Shared {
  readonly copy: ObjectCopy;

  constructor(copy: ObjectCopy) {
    this.copy = copy;
  }
}

/** The text of a value that JSON cannot represent. */
export class OtherCopy {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function addPart(copy: ObjectCopy, part: CopiedPart): void {
  setPart(copy, copy.parts.length, part);
}

export function setPart(copy: ObjectCopy, index: number, part: CopiedPart): void {
  copy.parts[index] = part;
  if (part instanceof ObjectCopy) part.parent = copy;
}

/** Something inside has moved: what is around it must be compared, to find that. */
export function compareAgain(parent: ObjectCopy | undefined): void {
  for (let outer = parent; outer?.isFixed === true; outer = outer.parent) outer.isFixed = false;
}

/** Whether the source is frozen, and all objects in it are. */
export function isFixed({ source, parts }: ObjectCopy): boolean {
  if (!Object.isFrozen(source)) return false;
  return parts.every(
    (part) => typeof part !== "object" || part === null || (part instanceof ObjectCopy && part.isFixed),
  );
}

/** Whether a value can be compared with a copy part by part. */
export function isAlike({ source, keys }: ObjectCopy, value: object): boolean {
  if (source === value) return true;
  return keys === undefined ? isPlainList(value) : isPlainRecord(value);
}
