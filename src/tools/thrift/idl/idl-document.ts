import type { IdlPosition } from "./tokens.js";

/** One file of IDL, as it is written: names are not looked up yet. */
export interface IdlDocument {
  readonly file: string;
  readonly includes: readonly IdlInclude[];
  readonly definitions: ReadonlyMap<string, IdlDefinition>;
}

export interface IdlInclude {
  readonly path: string;
  readonly at: IdlPosition;
}

interface Named {
  readonly name: string;
  readonly at: IdlPosition;
  readonly description: string | undefined;
}

export interface IdlTypedef extends Named {
  readonly kind: "typedef";
  readonly type: IdlTypeName;
}

export interface IdlConstant extends Named {
  readonly kind: "const";
  readonly type: IdlTypeName;
  readonly value: IdlValue;
}

export interface IdlEnum extends Named {
  readonly kind: "enum";
  readonly members: ReadonlyMap<string, number>;
}

export interface IdlStruct extends Named {
  readonly kind: "struct" | "union" | "exception";
  readonly fields: readonly IdlField[];
}

export interface IdlService extends Named {
  readonly kind: "service";
  readonly extends: { readonly name: string; readonly at: IdlPosition } | undefined;
  readonly methods: readonly IdlMethod[];
}

export type IdlDefinition = IdlTypedef | IdlConstant | IdlEnum | IdlStruct | IdlService;

export interface IdlField extends Named {
  readonly id: number;
  readonly requiredness: "required" | "optional" | undefined;
  readonly type: IdlTypeName;
  readonly value: IdlValue | undefined;
}

export interface IdlMethod extends Named {
  readonly isOneway: boolean;
  /** `undefined` for `void`. */
  readonly result: IdlTypeName | undefined;
  readonly parameters: readonly IdlField[];
  readonly exceptions: readonly IdlField[];
}

/** `map<string, i64>` is the name `map` with two parts. */
export interface IdlTypeName {
  readonly name: string;
  readonly parts: readonly IdlTypeName[];
  readonly at: IdlPosition;
}

/** A constant, as it is written. */
export type IdlValue =
  | { readonly kind: "integer"; readonly value: bigint; readonly at: IdlPosition }
  | { readonly kind: "double"; readonly value: number; readonly at: IdlPosition }
  | { readonly kind: "text"; readonly value: string; readonly at: IdlPosition }
  | { readonly kind: "name"; readonly value: string; readonly at: IdlPosition }
  | { readonly kind: "list"; readonly value: readonly IdlValue[]; readonly at: IdlPosition }
  | { readonly kind: "map"; readonly value: readonly (readonly [IdlValue, IdlValue])[]; readonly at: IdlPosition };
