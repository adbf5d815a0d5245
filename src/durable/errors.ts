import { quoteId } from "../checkpoint/names.js";
import { KumikoError } from "../errors.js";
import { kindOf } from "../wording.js";

const invalid = (message: string): KumikoError => new KumikoError("INVALID_OPTION", message);

export const notAStore = (given: unknown): KumikoError =>
  invalid(`runs needs a checkpoint store, such as sqliteStore(…) or postgresStore(…) (got ${kindOf(given)}).`);

export const invalidName = (given: unknown): KumikoError =>
  invalid(`enqueue needs the name of a graph as its first argument (got ${kindOf(given)}).`);

export const outsidePrefix = (id: string, prefix: string): KumikoError =>
  invalid(
    `The id ${quoteId(id)} of enqueue does not start with ${quoteId(prefix)}, the prefix that runs was given. Use one that does, or leave it out.`,
  );

export const noAge = (): KumikoError =>
  invalid("sweep needs finishedMs: the age in milliseconds from which finished runs are removed.");

export const noApps = (given: unknown): KumikoError =>
  invalid(
    `startWorker needs an object of compiled graphs and agents, by their names: startWorker({ order }) (got ${kindOf(given)}).`,
  );

export const notAnApp = (key: string, given: unknown): KumikoError =>
  invalid(`"${key}" of startWorker must be a compiled graph or an agent (got ${kindOf(given)}).`);

export const otherName = (key: string, name: string): KumikoError =>
  invalid(
    `"${key}" of startWorker is named ${JSON.stringify(name)}. Runs are found by the name of their graph: compile it with ` +
      `{ name: ${JSON.stringify(key)} }, or pass it as ${JSON.stringify(name)}.`,
  );

export const appWithoutStore = (key: string): KumikoError =>
  invalid(`"${key}" of startWorker has no store. Compile it with one: compile({ name: "${key}", store }).`);

export const otherStore = (key: string, first: string): KumikoError =>
  invalid(
    `"${key}" of startWorker has another store than "${first}". A worker looks into one store: give all apps the same, or start one worker for each.`,
  );
