/** What can be measured on its own: `npm run bench -- chains tools`. */
export const groups = {
  chains: "functions one after another, with and without a handler",
  graphs: "loops, branches, fan-out",
  tools: "the tools node",
  agents: "turns of agents, their models, threads and responses",
  mcp: "calls of MCP servers, and connecting them",
  streams: "chunks through nodes",
  building: "from a builder to something that runs",
  saving: "runs that stop and go on, and runs that are saved",
  policies: "nodes with policies around them",
  documents: "splitting texts, and searching vectors in memory",
  evals: "answers from tapes, and cases of evaluations",
  runs: "10,000 runs at a time: bytes of a parked one, latency of short ones",
  package: "cold import, and the size of a bundle",
  types: "what the compiler has to do",
} as const;

export type Group = keyof typeof groups;

/**
 * Groups that load packages of others. They run in processes of their own: whatever shares a process with these packages
 * takes up to twice as long.
 */
export const apart: ReadonlySet<Group> = new Set(["agents", "mcp"]);

const isGroup = (name: string): name is Group => Object.hasOwn(groups, name);

/** The groups that a command line asks for; all, if it names none. */
export function readGroups(names: readonly string[]): Group[] {
  const wrong = names.filter((name) => !isGroup(name));
  if (wrong.length > 0) {
    const list = Object.entries(groups).map(([name, text]) => `  ${name.padEnd(10)}${text}`);
    throw new Error(`There is no group "${wrong.join('", "')}". The groups:\n${list.join("\n")}`);
  }
  return names.length === 0 ? Object.keys(groups).filter(isGroup) : names.filter(isGroup);
}
