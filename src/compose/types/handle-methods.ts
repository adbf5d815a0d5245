import type { NodeContext } from "../../components/context.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { AnyCallOptions, OptionsFor } from "./call-options.js";
import type { Choice, Seen } from "./choice.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { NoChunks, ValueOf } from "./joined.js";
import type { NodeLike } from "./node-like.js";
import type { NodeOptions } from "./node-options.js";
import type { NodeRef, PartsRef, SourceRef } from "./node-ref.js";
import type { Keyed } from "./node-shape.js";
import type { CasesOfHandles, SwitchField } from "./switch.js";

export type HandlesOnly<Keys, Then> = [Keys] extends [never]
  ? Then
  : GraphTypeError<"handles and keys do not mix in one graph">;

/** `graph.node(…)`. */
export type AddByHandle<State> = <
  In,
  Out,
  const InputKey extends string | undefined = undefined,
  const OutputKey extends string | undefined = undefined,
  Inner = undefined,
  Options = AnyCallOptions,
  Chunk = NoChunks,
  const Concat extends DeclaredConcat | undefined = undefined,
>(
  key: string,
  node: NodeLike<In, Out, State, Inner, Options, Chunk>,
  options?: NodeOptions<
    NoInfer<In>,
    NoInfer<ValueOf<Out, Chunk, Concat>>,
    State,
    InputKey,
    OutputKey,
    OptionsFor<NoInfer<Options>, NoInfer<Inner>>,
    Concat
  >,
) => NodeRef<Keyed<In, InputKey>, Keyed<ValueOf<Out, Chunk, Concat>, OutputKey>, In>;

/** `addSwitch` with handles. */
export type SwitchOfHandles<Self> = <Out, const Field extends string>(
  from: SourceRef<Out>,
  field: SwitchField<Out, Field, "the source">,
  cases: CasesOfHandles<Out, NoInfer<Field>>,
) => Self;

/** `addBranch` and `addStreamBranch` with handles. */
export type BranchOfHandles<State, Self, Streamed> = <Out, const Target extends PartsRef<NoInfer<Out>>>(
  from: SourceRef<Out>,
  targets: readonly Target[],
  choose: (value: Seen<NoInfer<Out>, Streamed>, ctx: NodeContext<State>) => Choice<NoInfer<Target>>,
) => Self;
