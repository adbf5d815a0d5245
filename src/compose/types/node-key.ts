import type { IntegerProblem } from "../../schema/record-key.js";
import type { GraphTypeError, Unless } from "./graph-type-error.js";

/** The key of a new node, or an error sentence. @internal */
export type NewKey<Keys, Key extends string> = Unless<NewKeyProblem<Keys, Key>, Key>;

/** The problem with the key of a new node, if any. */
export type NewKeyProblem<Keys, Key extends string> = string extends Keys
  ? never
  : [Key] extends [Keys]
    ? `node "${Key}" already exists`
    : [KeyProblem<Key>] extends [""]
      ? never
      : KeyProblem<Key>;

type KeyProblem<Key extends string> = Key extends "start" | "end" ? `"${Key}" is a reserved key` : FieldProblem<Key>;

type FieldProblem<Key extends string> = Key extends "__proto__"
  ? '"__proto__" cannot be a key'
  : Key extends ""
    ? "a key may not be empty"
    : Key extends `${string}/${string}`
      ? `"${Key}" has a slash in it, which separates the keys of a path`
      : "";

/** Intersected with a record of nodes: puts an error at each field with an invalid key. @internal */
export type CheckedKeys<Keys, Nodes> = {
  readonly [Key in keyof Nodes]: OrError<IntegerProblem<Key>, NodeKeyProblem<Keys, Key>>;
};

/** The same for members of a chain step, whose keys are not node keys. @internal */
export type CheckedMembers<Members> = {
  readonly [Key in keyof Members]: OrError<IntegerProblem<Key>, Key extends string ? FieldProblem<Key> : "">;
};

type OrError<First extends string, Second extends string> = First extends ""
  ? Second extends ""
    ? unknown
    : GraphTypeError<Second>
  : GraphTypeError<First>;

type NodeKeyProblem<Keys, Key> = Key extends string
  ? string extends Keys
    ? ""
    : [Key] extends [Keys]
      ? `node "${Key}" already exists`
      : KeyProblem<Key>
  : "";

/** The keys for `interruptBefore` and `interruptAfter`; any string if the compiler does not know the keys. @internal */
export type StopKey<Keys extends string> = [Keys] extends [never] ? string : Keys;

/** Everything that must be set before the first node. @internal */
export type BeforeNodes<Keys, Then> = [Keys] extends [never]
  ? Then
  : GraphTypeError<"call withState(...) before the first node">;
