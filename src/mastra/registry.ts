import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { memoryStore } from "../checkpoint/memory-store.js";
import type { QueryableStore } from "../rag/retrieval/query-tool-options.js";
import type { AnyAgent } from "./agent/any-agent.js";
import type { AnyMastra } from "./any-mastra.js";
import { notRegistered } from "./errors.js";
import { consoleLogger, type MastraLogger } from "./logger.js";
import type { Owner } from "./registered.js";
import type { AnyMastraTool } from "./tools/any-tool.js";
import type { AnyWorkflow } from "./workflow/any-workflow.js";

type Named<T> = Readonly<Record<string, T>>;

/** A vector store of any kind. @internal */
export type AnyVectorStore = QueryableStore;

/** The registered agents, workflows, tools and vector stores, by key. */
export interface Entries {
  readonly agents: Named<AnyAgent>;
  readonly workflows: Named<AnyWorkflow>;
  readonly tools: Named<AnyMastraTool>;
  readonly vectors: Named<AnyVectorStore>;
}

/** Looks up registered agents, workflows, tools and vector stores. */
export class Registry implements AnyMastra {
  readonly #entries: Entries;
  readonly #storage: CheckpointStore;
  readonly #logger: MastraLogger;

  constructor(entries: Entries, storage: CheckpointStore, logger: MastraLogger) {
    this.#entries = entries;
    this.#storage = storage;
    this.#logger = logger;
  }

  getAgent(key: string): AnyAgent {
    return find("Agent", this.#entries.agents, key);
  }

  getAgentById(id: string): AnyAgent {
    return findById("Agent", this.#entries.agents, id);
  }

  listAgents(): Named<AnyAgent> {
    return { ...this.#entries.agents };
  }

  getWorkflow(key: string): AnyWorkflow {
    return find("Workflow", this.#entries.workflows, key);
  }

  getWorkflowById(id: string): AnyWorkflow {
    return findById("Workflow", this.#entries.workflows, id);
  }

  listWorkflows(): Named<AnyWorkflow> {
    return { ...this.#entries.workflows };
  }

  getTool(key: string): AnyMastraTool {
    return find("Tool", this.#entries.tools, key);
  }

  listTools(): Named<AnyMastraTool> {
    return { ...this.#entries.tools };
  }

  getVector(name: string): AnyVectorStore {
    return find("Vector", this.#entries.vectors, name);
  }

  listVectors(): Named<AnyVectorStore> {
    return { ...this.#entries.vectors };
  }

  getLogger(): MastraLogger {
    return this.#logger;
  }

  getStorage(): CheckpointStore {
    return this.#storage;
  }
}

function find<T>(kind: string, entries: Named<T>, key: string): T {
  const found = Object.hasOwn(entries, key) ? entries[key] : undefined;
  if (found === undefined) throw notRegistered(kind, key, Object.keys(entries));
  return found;
}

function findById<T extends { readonly id?: unknown }>(kind: string, entries: Named<T>, id: string): T {
  const found = Object.values(entries).find((entry) => entry.id === id);
  if (found === undefined)
    throw notRegistered(
      kind,
      id,
      Object.values(entries).map((entry) => String(entry.id)),
    );
  return found;
}

/** The owner of an agent, workflow or tool that is not registered: an empty registry, with runs stored in memory. */
export function emptyMastra(): Owner {
  const storage = memoryStore();
  const mastra = new Registry({ agents: {}, workflows: {}, tools: {}, vectors: {} }, storage, consoleLogger);
  return { storage, isStorageOwn: true, logger: consoleLogger, mastra };
}
