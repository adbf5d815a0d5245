import type { GraphTypeError } from "../graph-type-error.js";
import type { CaseNames, Selected, SurplusCase } from "../switch.js";
import type { NewTarget } from "./check-mapping.js";
import type { Fork } from "./controls.js";
import type { FailureKey } from "./sources.js";

/** Whether a branch always runs exactly one node: not if it may choose several, or END. @internal */
export type ChoosesOne<Chosen, Targets extends string> =
  Awaited<Chosen> extends readonly unknown[] ? false : "end" extends Targets ? false : true;

/** Intersected with the cases of a switch: an error at each that is missing or unknown, or whose target already exists. @internal */
export type CheckedTargets<Keys, Out, Field extends string, Cases> = {
  readonly [Name in CaseNames<Out, Field> | (keyof Cases & string)]: Name extends CaseNames<Out, Field>
    ? Name extends keyof Cases
      ? Cases[Name] extends string
        ? NewTarget<Keys, Cases[Name]> extends Cases[Name]
          ? unknown
          : GraphTypeError<NewTarget<Keys, Cases[Name]>>
        : unknown
      : GraphTypeError<`"${Name}" has no target`>
    : GraphTypeError<SurplusCase<Field, Name>>;
};

/** The source of an error branch: the node added last, so that no other node has relied on its output yet. @internal */
export type LastAdded<Last, From extends string> = [From] extends [Last]
  ? From
  : `addErrorBranch("${From}", ...) stands right behind addNode("${From}", ...)`;

/** The members of the source that each target of a switch gets. @internal */
export type SwitchTargets<Out, Field extends string, Cases> = {
  readonly [Target in Cases[keyof Cases] & string]: Selected<Out, Field, CasesTo<Cases, Target>>;
};

type CasesTo<Cases, Target> = { [Name in keyof Cases]: Cases[Name] extends Target ? Name : never }[keyof Cases];

/** `Then` if the workflow has an output and all targets of its branches; otherwise an error that names what is missing. @internal */
export type FinishedWorkflow<Keys extends string, Forks, Last, Then> = ["end"] extends [Last]
  ? [Unmet<Keys, Forks>] extends [never]
    ? Then
    : GraphTypeError<Unmet<Keys, Forks>>
  : GraphTypeError<"the workflow has no output: call end(...)">;

type Unmet<Keys, Forks> =
  Forks extends Fork<infer Source, infer Targets, boolean | "always">
    ? NoNode<Exclude<Targets, Keys | "end" | FailureKey<string>>, Source>
    : never;

type NoNode<Target extends string, Source extends string> = [Target] extends [never]
  ? never
  : Source extends FailureKey<infer Failed>
    ? `the error branch from "${Failed}" leads to "${Target}", which is not a node`
    : `the branch from "${Source}" leads to "${Target}", which is not a node`;
