import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { checkMastraSchemas, invalidStep, pathNotFound, stepHasNotRun } from "../errors.js";
import type { AnySchema } from "./any-schema.js";
import { checkValue } from "./check-value.js";
import type { FlowParams } from "./flow-entry.js";
import type { StepRef } from "./run-options.js";
import { type AnyStep, type StepCall, stepBody } from "./step.js";

/** The source of a field in `.map`. @internal */
export type MapSource =
  /** The output of an earlier step, or of the first one that ran, at `path`; `.` is the whole output. */
  | { readonly step: StepRef | readonly StepRef[]; readonly path: string }
  /** The input of the workflow at `path`. */
  | { readonly initData: unknown; readonly path: string }
  /** A value of the request context, validated by the schema. */
  | { readonly runtimeContextPath: string; readonly schema?: AnySchema | undefined }
  | { readonly requestContextPath: string; readonly schema?: AnySchema | undefined }
  /** A constant, validated by the schema. */
  | { readonly value: unknown; readonly schema?: AnySchema | undefined }
  /** The result of a function, validated by the schema. */
  | { readonly fn: (params: FlowParams) => unknown; readonly schema?: AnySchema | undefined };

/** Creates the step of a mapping. Like any step, it has a result and can fail. */
export function mapStep(workflow: string, id: string, mapping: unknown): AnyStep {
  if (typeof mapping === "function") return { id, [stepBody]: ({ params }) => mapping(params) };
  if (!isFields(mapping)) {
    throw invalidStep(
      `.map of workflow "${workflow}" needs a record of sources or a function (got ${kindOf(mapping)}).`,
    );
  }
  const fields = Object.entries(mapping);
  for (const [name, source] of fields) checkSource(workflow, name, source);
  return {
    id,
    [stepBody]: async (call) => {
      const mapped: Record<string, unknown> = {};
      for (const [name, source] of fields) {
        const value = await sourceValue(name, source as MapSource, call, workflow);
        Object.defineProperty(mapped, name, { value, enumerable: true, writable: true, configurable: true });
      }
      return mapped;
    },
  };
}

/** The steps that a mapping reads, with the fields that read them. */
export function mappedStepsOf(mapping: unknown): readonly { readonly field: string; readonly step: StepRef }[] {
  if (!isFields(mapping)) return [];
  return Object.entries(mapping).flatMap(([field, source]) =>
    isFields(source) && "step" in source ? refsOf(source.step).map((step) => ({ field, step })) : [],
  );
}

export function refsOf(step: unknown): readonly StepRef[] {
  return (Array.isArray(step) ? step : [step]) as readonly StepRef[];
}

export function idOf(step: StepRef): string {
  return typeof step === "string" ? step : step.id;
}

const kinds = ["step", "initData", "runtimeContextPath", "requestContextPath", "value", "fn"];

function checkSource(workflow: string, name: string, source: unknown): void {
  const where = `"${name}" in .map of workflow "${workflow}"`;
  if (!isFields(source))
    throw invalidStep(`${where} must be an object with one of ${kinds.join(", ")} (got ${kindOf(source)}).`);
  const given = kinds.filter((kind) => kind in source);
  if (given.length !== 1) throw invalidStep(`${where} needs exactly one of ${kinds.join(", ")}.`);
  for (const path of ["path", "runtimeContextPath", "requestContextPath"]) {
    if (path in source && typeof source[path] !== "string") throw invalidStep(`${path} of ${where} must be a string.`);
  }
  if ("step" in source) {
    const isRef = (step: unknown) => typeof step === "string" || (isRefObject(step) && typeof step.id === "string");
    if (!refsOf(source.step).every(isRef)) throw invalidStep(`step of ${where} must be a step, or an array of steps.`);
  }
  if ("fn" in source && typeof source.fn !== "function") throw invalidStep(`fn of ${where} must be a function.`);
  const kind = String(given[0]);
  checkOptions(where, source, [kind, kind === "step" || kind === "initData" ? "path" : "schema"]);
  checkMastraSchemas(where, { schema: source.schema });
}

function isRefObject(step: unknown): step is { readonly id: unknown } {
  return (typeof step === "object" || typeof step === "function") && step !== null && "id" in step;
}

async function sourceValue(field: string, source: MapSource, call: StepCall, workflow: string): Promise<unknown> {
  const { params, flow } = call;
  const checked = (schema: AnySchema | undefined, value: unknown, what: string): Promise<unknown> =>
    checkValue(schema, value, { workflow, what });
  if ("value" in source) return checked(source.schema, source.value, `constant "${field}" in .map`);
  if ("fn" in source) {
    return checked(source.schema, await source.fn(params as FlowParams), `result of the function "${field}" in .map`);
  }
  if ("step" in source) {
    const ids = refsOf(source.step).map(idOf);
    const ran = ids.find((id) => ["success", "bailed"].includes(flow.state.steps[id]?.status ?? ""));
    if (ran === undefined) throw stepHasNotRun(workflow, field, ids);
    return at(workflow, field, source.path, flow.state.steps[ran]?.output, `step "${ran}"`);
  }
  if ("initData" in source) return at(workflow, field, source.path, flow.state.input, "the input of the workflow");
  const path = "requestContextPath" in source ? source.requestContextPath : source.runtimeContextPath;
  const value = contextValue(params.requestContext, path);
  if (source.schema === undefined) {
    if (value === undefined) throw pathNotFound(workflow, field, path, "the request context");
    return value;
  }
  return checked(source.schema, value, `value of "${path}" in the request context`);
}

function contextValue(context: StepCall["params"]["requestContext"], path: string): unknown {
  if (context.has(path)) return context.get(path);
  const [name = "", ...rest] = path.split(".");
  return follow(context.get(name), rest)?.value;
}

function at(workflow: string, field: string, path: string | undefined, from: unknown, source: string): unknown {
  if (path === undefined || path === "." || path === "") return from;
  const found = follow(from, path.split("."));
  if (found === undefined) throw pathNotFound(workflow, field, path, source);
  return found.value;
}

/** Follows a path of own properties. Returns `undefined` if it leads nowhere. */
function follow(from: unknown, path: readonly string[]): { readonly value: unknown } | undefined {
  let value = from;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return { value };
}
