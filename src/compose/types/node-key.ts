import type { GraphTypeError } from "./graph-type-error.js";

/** The key of a new node, or the sentence that says why it cannot be one. */
export type NewKey<Keys, Key extends string> = string extends Keys
  ? Key
  : [Key] extends [Keys]
    ? `node "${Key}" already exists`
    : KeyProblem<Key> extends ""
      ? Key
      : KeyProblem<Key>;

type KeyProblem<Key extends string> = Key extends "start" | "end" | "__proto__"
  ? `"${Key}" is a reserved key`
  : Key extends ""
    ? "a key may not be empty"
    : Key extends `${string}/${string}`
      ? `"${Key}" has a slash in it, which separates the keys of a path`
      : "";

/** Intersected with a record of nodes: puts the problem of a key at the field that has it. */
export type CheckedKeys<Keys, Members> = {
  readonly [Key in keyof Members]: RecordKeyProblem<Keys, Key> extends ""
    ? unknown
    : GraphTypeError<RecordKeyProblem<Keys, Key>>;
};

type RecordKeyProblem<Keys, Key> = Key extends number | `${bigint}`
  ? `"${Key}" looks like an integer, and JavaScript would move it to the front`
  : Key extends string
    ? string extends Keys
      ? ""
      : [Key] extends [Keys]
        ? `node "${Key}" already exists`
        : KeyProblem<Key>
    : "a key must be a string";
