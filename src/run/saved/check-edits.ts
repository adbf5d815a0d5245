import type { RunSnapshot } from "../../checkpoint/document/snapshot.js";
import { agentOutput } from "../../checkpoint/history/history-errors.js";
import { END_INDEX, type NodeSettings, START } from "../../compose/plan/plan.js";
import { KumikoError } from "../../errors.js";
import type { Program } from "../program.js";
import { checkValues, keepsValues } from "./check-snapshot.js";

/** Throws for outputs that would change nothing: an agent goes on from its log, not from what its nodes returned. */
export function checkOutputPaths(program: Program, paths: readonly string[]): void {
  for (const path of paths) {
    const keys = path.split("/");
    const key = keys.pop();
    if (key !== START && programAt(program, keys)?.plan.component === "agent")
      throw agentOutput(path, keys.length === 0 ? undefined : keys.join("/"));
  }
}

/** Checks replacements for outputs with the schemas of their graphs. Returns them; an input is parsed, as by a new run. */
export async function checkedOutputs(
  program: Program,
  outputs: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const checked: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(outputs)) {
    const keys = path.split("/");
    const key = keys.pop() ?? "";
    const graph = programAt(program, keys);
    checked[path] = graph === undefined ? value : await checkedOutput(graph, key, value);
  }
  return checked;
}

async function checkedOutput(program: Program, key: string, value: unknown): Promise<unknown> {
  const { plan, nested } = program;
  if (key === START) return plan.checkInput === undefined ? value : plan.checkInput(value);
  const index = program.indexOf(key) ?? END_INDEX;
  const check = nested.get(index)?.plan.checkOutput;
  // an output was parsed already, so a schema that transforms values cannot check it
  if (check !== undefined && givesUnchanged(plan.nodes[index]?.settings) && keepsValues(check)) await check(value);
  return value;
}

/** The graph at a path of node keys; not one that is run for each item, since items have no paths. */
function programAt(program: Program, keys: readonly string[]): Program | undefined {
  let at: Program | undefined = program;
  for (const key of keys) at = at?.nested.get(at.indexOf(key) ?? END_INDEX);
  return at?.plan.bare === true && at !== program ? undefined : at;
}

function givesUnchanged(settings: NodeSettings | undefined): boolean {
  return settings?.outputKey === undefined && settings?.after === undefined && settings?.streamAfter === undefined;
}

/** Throws `VALIDATION` if edited values do not fit the next schema; before the edits, all values did. */
export async function checkEdited(root: RunSnapshot, program: Program): Promise<void> {
  try {
    await checkValues(root, program, []);
  } catch (error) {
    throw KumikoError.is(error) && KumikoError.is(error.cause) ? error.cause : error;
  }
}
