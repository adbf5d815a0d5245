import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyFunction, IsRecord } from "./fit.js";

/**
 * The name of a type in a compile error. It is evaluated only if something does not fit. A type without a short name is shown by its
 * fields, in which nested records are "a record".
 */
export type TypeName<Value, Level extends "top" | "inner" = "top"> = 0 extends 1 & Value
  ? "any"
  : unknown extends Value
    ? "unknown"
    : [Value] extends [never]
      ? "never"
      : Joined<[...Names<Exclude<Value, boolean | null | undefined>, Level>, ...SimpleNames<Value>], " | ">;

/** The names that the compiler prints last in a union. */
type SimpleNames<Value> = [
  ...([boolean] extends [Value] ? ["boolean"] : true extends Value ? ["true"] : false extends Value ? ["false"] : []),
  ...(null extends Value ? ["null"] : []),
  ...(undefined extends Value ? ["undefined"] : []),
];

/** The names of the members of a union, of which only the first few are shown. */
type Names<Value, Level extends "top" | "inner", Found extends string[] = []> = [Value] extends [never]
  ? Found
  : Found["length"] extends 4
    ? [...Found, "..."]
    : Names<Exclude<Value, LastOf<Value>>, Level, [NameOf<LastOf<Value>, Level>, ...Found]>;

type NameOf<Member, Level extends "top" | "inner"> = Member extends string
  ? string extends Member
    ? "string"
    : `"${Member}"`
  : Member extends number
    ? number extends Member
      ? "number"
      : `${Member}`
    : Member extends bigint
      ? "bigint"
      : Member extends symbol
        ? "symbol"
        : [Member, AgenticMessage] extends [AgenticMessage, Member]
          ? "AgenticMessage"
          : Member extends readonly (infer Item)[]
            ? ListName<TypeName<Item, "inner">>
            : Member extends AnyFunction
              ? "a function"
              : IsRecord<Member> extends true
                ? Level extends "top"
                  ? RecordName<Member>
                  : "a record"
                : Member extends Date
                  ? "Date"
                  : "an object";

type ListName<Item extends string> = Item extends `${string} ${string}` ? `(${Item})[]` : `${Item}[]`;

type RecordName<Value> = [keyof Value] extends [never]
  ? "{}"
  : `{ ${Joined<FieldNames<Value, keyof Value & string>, "; ">} }`;

type FieldNames<Value, Key extends string, Found extends string[] = []> = [Key] extends [never]
  ? Found
  : Found["length"] extends 4
    ? [...Found, "..."]
    : LastOf<Key> extends infer Last extends Key & keyof Value & string
      ? FieldNames<Value, Exclude<Key, Last>, [FieldName<Value, Last>, ...Found]>
      : Found;

type FieldName<Value, Key extends keyof Value & string> =
  Record<never, never> extends Pick<Value, Key>
    ? `${Key}?: ${TypeName<Exclude<Value[Key], undefined>, "inner">}`
    : `${Key}: ${TypeName<Value[Key], "inner">}`;

type Joined<Parts extends readonly unknown[], Between extends string> = Parts extends readonly [
  infer First extends string,
  ...infer Rest extends string[],
]
  ? Rest["length"] extends 0
    ? First
    : `${First}${Between}${Joined<Rest, Between>}`
  : "";

/** The last member of a union. */
type LastOf<Union> =
  ToIntersection<Union extends unknown ? (member: Union) => void : never> extends (member: infer Last) => void
    ? Last
    : never;

export type ToIntersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer All,
) => void
  ? All
  : never;
