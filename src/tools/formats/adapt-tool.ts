import type { Tool } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import type { AnyTool } from "../define/any-tool.js";
import { aiSdkTool, isAiSdkTool } from "./ai-sdk-tool.js";
import { einoTool, isEinoTool } from "./eino-tool.js";
import { namelessTool } from "./errors.js";
import { isForeignFunction } from "./foreign-tool.js";
import { isMastraTool, mastraTool } from "./mastra-tool.js";
import { plainTool } from "./plain-tool.js";
import { isTanStackTool, tanStackTool } from "./tan-stack-tool.js";

/**
 * Converts a tool of any format to the form that a tools node runs; `undefined` for a value that is not a tool. In a record its name is
 * its key; in an array, at the position `where`, it has a name of its own.
 */
export function adaptTool(given: AnyTool, key: string | undefined, where: string): Tool<never> | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  if ("component" in given) return given.component === "tool" ? (given as Tool<never>) : undefined;
  const tool = given as object as Fields;
  if (isEinoTool(tool)) return einoTool(tool, key);
  const adapt = formatOf(tool);
  if (adapt === undefined) return undefined;
  const name = key ?? nameOf(tool);
  if (name === "") throw namelessTool(where);
  return adapt(tool, name);
}

function formatOf(tool: Fields): ((tool: Fields, name: string) => Tool<never>) | undefined {
  if (isMastraTool(tool)) return mastraTool;
  if (isTanStackTool(tool)) return tanStackTool;
  if (isAiSdkTool(tool)) return aiSdkTool;
  return isForeignFunction(tool.execute) || "inputSchema" in tool ? plainTool : undefined;
}

function nameOf({ name, id }: Fields): string {
  if (typeof name === "string") return name;
  return typeof id === "string" ? id : "";
}
