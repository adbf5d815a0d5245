import { KumikoError, messageOf } from "../../errors.js";
import { invalidTool, schemaUnsupported } from "../../schema/errors.js";
import { shorten } from "../../schema/shorten.js";

export const namelessTool = (where: string): KumikoError =>
  invalidTool(`${where} has no name. Give it one, or give a record of tools: its keys are their names.`);

export const providerTool = (name: string): KumikoError =>
  invalidTool(
    `Tool "${name}" is executed by the provider of the model. Leave it out of the tools node, and give it to the model with the others: ` +
      `tools: [...node.infos, toolInfo({ name: "${name}", provider: tool })].`,
  );

export const descriptionFailed = (name: string, cause: unknown): KumikoError =>
  new KumikoError("INVALID_TOOL", `Tool "${name}": its description is a function, which failed: ${messageOf(cause)}`, {
    cause,
  });

export const schemaLater = (): KumikoError =>
  schemaUnsupported("Its JSON Schema is a promise, and tools are read at once. Await it before: jsonSchema(await …).");

export const notASchema = (given: unknown): KumikoError =>
  schemaUnsupported(`Its schema is not a schema (got ${shorten(given)}).`);

export const infoLater = (): KumikoError =>
  invalidTool(
    "info is a promise, but tools are described at once. Await it before: { ...tool, info: await tool.info() }.",
  );
