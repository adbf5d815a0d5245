import type { FailureAt } from "../error-branch.js";
import type { IsRecord, Lacks } from "../fit.js";
import type { GraphTypeError, Unless } from "../graph-type-error.js";
import type { NewKeyProblem } from "../node-key.js";
import type { TypeName } from "../type-name.js";
import type { AtPath, NoStep } from "./path.js";
import type { AnyAround, ResolvedInput, ResolveSource, WholeOf } from "./resolve.js";
import type { AnySource, FailureKey, Told } from "./sources.js";

/** Intersected with a mapping: an error at each wrong field. `Name` is the name of the target in the error. @internal */
export type CheckMapping<At extends AnyAround, M, In, Name = At["key"]> = string extends keyof M
  ? unknown
  : M extends AnySource
    ? CheckSource<At, Told<M>, In, Name>
    : M extends undefined
      ? unknown
      : IsRecord<In> extends true
        ? { readonly [Field in keyof M]: CheckField<At, M[Field], In, Field> } & Lacking<At, M, In>
        : unknown extends In
          ? { readonly [Field in keyof M]: CheckMapping<At, M[Field], unknown, Field> }
          : [ResolvedInput<At, M>] extends [In]
            ? unknown
            : GraphTypeError<`"${Named<At["key"]>}" takes ${TypeName<In>}`>;

type Named<Key> = Key extends string ? Key : "this";

type CheckField<At extends AnyAround, Inner, In, Field> = Field extends keyof In
  ? Inner extends AnySource
    ? CheckSource<At, Told<Inner>, In[Field], Field>
    : CheckMapping<At, Inner, In[Field], Field>
  : Field extends KeysOf<In>
    ? unknown
    : string extends keyof In
      ? CheckMapping<At, Inner, In[keyof In], Field>
      : GraphTypeError<`"${Named<At["key"]>}" takes no "${Named<Field>}"`>;

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** Checks that the mapping has all required fields of the input, or fits one member of a union of records. */
type Lacking<At extends AnyAround, M, In> = [keyof In] extends [keyof M]
  ? [KeysOf<In>] extends [keyof In]
    ? unknown
    : OneOf<At, M, In>
  : [KeysOf<In>] extends [keyof In]
    ? [Lacks<M, In>] extends [never]
      ? unknown
      : GraphTypeError<`"${Named<At["key"]>}" never gets "${Lacks<M, In>}"`>
    : OneOf<At, M, In>;

type OneOf<At extends AnyAround, M, In> = [ResolvedInput<At, M>] extends [In]
  ? unknown
  : GraphTypeError<`"${Named<At["key"]>}" takes ${TypeName<In>}`>;

/**
 * Checks whether the source fits first. An invalid path would fit too if the target accepts anything, or if its type was inferred from
 * the path, so paths are checked then.
 */
type CheckSource<At extends AnyAround, Said, In, Name> = [ResolveSource<At, Said>] extends [In]
  ? Record<never, never> extends In
    ? Problem<At, Said, unknown>
    : [In] extends [NoStep<string> | readonly NoStep<string>[] | undefined]
      ? Problem<At, Said, unknown>
      : Said extends { readonly computed: unknown } | { readonly failed: unknown }
        ? Problem<At, Said, unknown>
        : unknown
  : Problem<At, Said, Mismatch<At, Said, In, Name>>;

/** The error of an unknown node or an invalid path, or `Otherwise`. */
type Problem<At extends AnyAround, Said, Otherwise> = [ReadProblem<At, Reads<Said>>] extends [never]
  ? Otherwise
  : GraphTypeError<ReadProblem<At, Reads<Said>>>;

/** The members of `firstOf`, or the source itself. */
type Reads<Said> = Said extends { readonly first: infer Froms extends readonly unknown[] } ? Told<Froms[number]> : Said;

type Mismatch<At extends AnyAround, Said, In, Name> =
  unknown extends ResolveSource<At, Said>
    ? unknown
    : [Exclude<ResolveSource<At, Said>, undefined>] extends [In]
      ? GraphTypeError<`${Subject<Said>} may be missing: ${Remedy<At, Said>}`>
      : GraphTypeError<`${Subject<Said>} is ${TypeName<ResolveSource<At, Said>>}, "${Named<Name>}" takes ${TypeName<In>}`>;

type Subject<Said> = Said extends { readonly from: infer Key extends string; readonly path: infer Path extends string }
  ? Path extends ""
    ? `"${Key}"`
    : `"${Path}" of "${Key}"`
  : Said extends { readonly computed: infer Key extends string }
    ? `what is computed from "${Key}"`
    : Said extends { readonly first: unknown }
      ? "the first of these"
      : Said extends { readonly failed: infer Key extends string; readonly path: infer Path extends string }
        ? Path extends ""
          ? `the failure of "${Key}"`
          : `"${Path}" of the failure of "${Key}"`
        : "the value";

/** Advice for a source that may be missing. */
type Remedy<At extends AnyAround, Said> = Said extends { readonly from: infer Key extends string }
  ? Key extends At["gaps"] & At["controls"]
    ? Belongs<Exclude<At["controls"], Key | FailureKey<string>>, Key>
    : "give a default"
  : Said extends { readonly first: unknown }
    ? "end with a source that is always there, or give it a default"
    : "let the target take undefined";

type Belongs<Others, Key extends string> = [Others] extends [never]
  ? "give a default"
  : `read "${Named<Others>}" with dataOnly if this node belongs to "${Key}", or give a default`;

type ReadProblem<At extends AnyAround, Said> = Said extends {
  readonly from: infer Key extends string;
  readonly path: infer Path extends string;
}
  ? Key extends keyof At["nodes"] | "start"
    ? NoStepIn<AtPath<WholeOf<At, Key>, Path>> extends true
      ? `"${Key}" has no "${Path}"`
      : never
    : NoNode<Key>
  : Said extends { readonly computed: infer Key extends string; readonly whole: (whole: infer Whole) => void }
    ? Key extends keyof At["nodes"] | "start"
      ? [WholeOf<At, Key>] extends [Whole]
        ? never
        : unknown extends WholeOf<At, Key>
          ? never
          : `"${Key}" gives ${TypeName<WholeOf<At, Key>>}, and the function takes ${TypeName<Whole>}`
      : NoNode<Key>
    : Said extends { readonly failed: infer Key extends string; readonly path: infer Path extends string }
      ? Key extends keyof At["nodes"]
        ? FailureKey<Key> extends At["maybe"]
          ? NoStepIn<AtPath<FailureAt<At["nodes"], Key>, Path>> extends true
            ? `the failure of "${Key}" has no "${Path}"`
            : never
          : `"${Key}" has no error branch: call addErrorBranch("${Key}", ...) right after adding it`
        : NoNode<Key>
      : never;

type NoNode<Key extends string> = `no node "${Key}" before this one`;

/** Whether a member of the found type, or of its items, marks an invalid path. */
type NoStepIn<Found> = 0 extends 1 & Found
  ? false
  : true extends (Found extends NoStep<string> ? true : Found extends readonly (infer Item)[] ? NoStepIn<Item> : false)
    ? true
    : false;

/** The key of a new node, or an error sentence. A node without a mapping must accept `undefined`. @internal */
export type NewWiredKey<Keys, Key extends string, M, In> = Unless<NewKeyProblem<Keys, Key> | NoInput<Key, M, In>, Key>;

type NoInput<Key extends string, M, In> = [M] extends [undefined]
  ? undefined extends In
    ? never
    : `"${Key}" takes ${TypeName<In>} and has no input`
  : never;

/** The target of a branch, which must be declared after the branch; otherwise an error sentence. @internal */
export type NewTarget<Keys, Target extends string> = Target extends Keys
  ? `"${Target}" stands before this branch: add it behind`
  : Target;
