import { KumikoError } from "../../errors.js";
import { quoteId } from "../names.js";

export const noHistory = (id: string): KumikoError =>
  new KumikoError(
    "NO_HISTORY",
    `The checkpoint ${quoteId(id)} has no history: its run was saved without one. Compile the graph with history: true before starting a run.`,
  );

export const unknownEntry = (id: string, entry: unknown): KumikoError =>
  new KumikoError(
    "UNKNOWN_ENTRY",
    `The history of ${quoteId(id)} has no entry ${quoteId(entry)}: it was pruned, or never existed. app.history(id) lists the entries.`,
  );

export const notEditable = (path: string): KumikoError =>
  new KumikoError(
    "NOT_EDITABLE",
    `The output of ${quoteId(path)} cannot be replaced: at this entry, nothing is left to read it. Fork an earlier entry.`,
  );

/** `agent` is the path of the agent's node in the graph around it, if there is one. */
export const agentOutput = (path: string, agent: string | undefined): KumikoError => {
  const whole =
    agent === undefined
      ? "where the agent is a node, the output of that node"
      : `the output of its node ${quoteId(agent)}`;
  return new KumikoError(
    "NOT_EDITABLE",
    `The output of ${quoteId(path)} cannot be replaced: an agent goes on from its log of messages, not from the outputs of its nodes. Replace ${whole}, change the state of the graph around it with editState, or, in a thread, send another prompt with the option replaces.`,
  );
};
