/** What the copy of a state consists of. */
export type Part = string | number | boolean | null | ObjectCopy | OtherCopy | Shared;

/** The copy of a record or a list as it was saved; a list has no keys. */
export class ObjectCopy {
  source: object;
  readonly keys: string[] | undefined;
  parts: Part[] = [];
  /** The number of the last comparison that found its source. */
  round: number;
  /** The copy that contains it; `undefined` for the root, and for shared objects. */
  parent: ObjectCopy | undefined = undefined;
  /** The id of an object that occurs more than once; 0 for all others. */
  id = 0;
  /** Whether it is stored among the shared objects, beside the tree. */
  isApart = false;
  /** Whether its source and all that it contains are frozen: then it is not compared again. */
  isFrozen = false;

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

/** Whether nothing in an object can change. A getter may return something else each time. */
export function isDeeplyFrozen({ source, parts }: ObjectCopy): boolean {
  return Object.isFrozen(source) && parts.every(isSettled) && !hasGetter(source);
}

function isSettled(part: Part): boolean {
  if (part instanceof ObjectCopy) return part.isFrozen;
  return part instanceof Shared ? part.copy.isFrozen : !(part instanceof OtherCopy);
}

function hasGetter(source: object): boolean {
  return Object.values(Object.getOwnPropertyDescriptors(source)).some(({ get }) => get !== undefined);
}
