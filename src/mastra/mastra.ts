import { checkOptions } from "../check-options.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { memoryStore } from "../checkpoint/memory-store.js";
import { Runtime } from "../compose/runtime.js";
import { hasMethod, isFields, isObject } from "../is.js";
import type { NamedModels } from "../models/model.js";
import { kindOf } from "../wording.js";
import type { AnyAgent } from "./agent/any-agent.js";
import { refused } from "./agent/refused-options.js";
import type { AnyMastra } from "./any-mastra.js";
import { checkNoMore, invalidMastraOption, notRegistered } from "./errors.js";
import { consoleLogger, type MastraLogger, silentLogger } from "./logger.js";
import { isRegistrable, type Owner, register } from "./registered.js";
import { type AnyVectorStore, Registry } from "./registry.js";
import type { Middleware, ServerErrorHandler } from "./server/middleware.js";
import { isRoute, Routes } from "./server/routes.js";
import { type Serve, served } from "./server/served.js";
import { ServerChain } from "./server/server-chain.js";
import type { AnyMastraTool } from "./tools/any-tool.js";
import type { AnyWorkflow } from "./workflow/any-workflow.js";

/** @internal */
type Named<T> = Readonly<Record<string, T>>;

/** The `server` option of {@link Mastra}. */
export interface ServerOptions {
  /** Middleware for every request, or with `{ path, handler }` for some paths. */
  readonly middleware?: Middleware | readonly Middleware[] | undefined;
  /**
   * Returns the response for an error of a middleware, a route or a run.
   * @default a neutral text with a status; the logger gets the error
   */
  readonly onError?: ServerErrorHandler | undefined;
}

/** Options of {@link Mastra}. */
export interface MastraOptions<
  Agents extends Named<object> = Named<object>,
  Workflows extends Named<object> = Named<object>,
  Tools extends Named<object> = Named<object>,
  Vectors extends Named<object> = Named<object>,
> {
  /** The agents, by their keys. */
  readonly agents?: Agents | undefined;
  /** The workflows, by their keys. */
  readonly workflows?: Workflows | undefined;
  /** The tools, by their keys. */
  readonly tools?: Tools | undefined;
  /** Vector stores by their names: the query tools of agents and workflows find them. */
  readonly vectors?: Vectors | undefined;
  /**
   * Resolves the names of models, such as `"openai/gpt-5"`: a provider registry or gateway of the AI SDK as it is, or a function of the
   * name. A registry that does not know such a name is asked for `"openai:gpt-5"`.
   */
  readonly models?: NamedModels | undefined;
  /** MCP servers by key, for `getMCPServer`. */
  readonly mcpServers?: Named<object> | undefined;
  /** `false` for no logging. @default the console, except debug messages */
  readonly logger?: MastraLogger | false | undefined;
  /** Stores waiting runs. @default a memory store */
  readonly storage?: CheckpointStore | undefined;
  /** Options of the server: middlewares and what it serves. */
  readonly server?: ServerOptions | undefined;
}

const optionNames = ["agents", "workflows", "tools", "vectors", "models", "mcpServers", "logger", "storage", "server"];

/**
 * A registry of agents, workflows and tools that can find each other, and share a logger, a store and a server.
 *
 * @example
 * import { Mastra, Agent } from "kumiko/mastra";
 *
 * const mastra = new Mastra({ agents: { support: new Agent({ name: "support", model }) } });
 * const { text } = await mastra.getAgent("support").generate("Hello!");
 */
export class Mastra<
  Agents extends Named<object> = Named<AnyAgent>,
  Workflows extends Named<object> = Named<AnyWorkflow>,
  Tools extends Named<object> = Named<AnyMastraTool>,
  Vectors extends Named<object> = Named<AnyVectorStore>,
> {
  readonly #registry: Registry;
  readonly #mcpServers: Named<object>;
  readonly #chain: ServerChain;
  readonly #routes: Routes;
  readonly #server: ServerOptions;

  constructor(options: MastraOptions<Agents, Workflows, Tools, Vectors> = {}) {
    checkOptions("new Mastra", options, optionNames, { hint: refused.mastra });
    const { logger = consoleLogger, storage = memoryStore(), server = {}, mcpServers = {} } = options;
    const entries = {
      agents: entriesOf<AnyAgent>("agents", options.agents, "an Agent", ["generate", "stream"]),
      workflows: entriesOf<AnyWorkflow>("workflows", options.workflows, "a workflow", ["createRun"]),
      tools: entriesOf<AnyMastraTool>("tools", options.tools, "a tool", ["execute"]),
      vectors: entriesOf<AnyVectorStore>("vectors", options.vectors, "a vector store", ["query"]),
    };
    checkOptions("server of new Mastra", server, ["middleware", "onError"]);
    const { onError } = server;
    if (onError !== undefined && typeof onError !== "function")
      throw invalidMastraOption(`onError of server of new Mastra must be a function (got ${kindOf(onError)}).`);
    this.#registry = new Registry(entries, checkedStore(storage), logger === false ? silentLogger : logger);
    this.#mcpServers = entriesOf("mcpServers", mcpServers, "an MCPServer", ["getServerInfo"]);
    this.#server = server;
    this.#chain = new ServerChain(server.middleware, { onError, logger: this.#registry.getLogger() });
    this.#routes = new Routes(this.#registry);
    const { models } = options;
    const runtime = models === undefined ? undefined : new Runtime({ models: namedModels(models) });
    const owner: Owner = {
      ...{ storage, isStorageOwn: options.storage === undefined, runtime },
      ...{ logger: this.#registry.getLogger(), mastra: this as AnyMastra },
    };
    for (const kind of Object.values(entries)) {
      for (const entry of Object.values(kind)) if (isRegistrable(entry)) entry[register](owner);
    }
  }

  getAgent<Key extends keyof Agents & string>(key: Key, ...rest: readonly never[]): Agents[Key] {
    checkNoMore("getAgent", rest);
    return this.#registry.getAgent(key) as Agents[Key] & AnyAgent;
  }

  getAgentById(id: string, ...rest: readonly never[]): AnyAgent {
    checkNoMore("getAgentById", rest);
    return this.#registry.getAgentById(id);
  }

  listAgents(...rest: readonly never[]): Agents {
    checkNoMore("listAgents", rest);
    return this.#registry.listAgents() as Agents & Named<AnyAgent>;
  }

  getWorkflow<Key extends keyof Workflows & string>(key: Key, ...rest: readonly never[]): Workflows[Key] {
    checkNoMore("getWorkflow", rest);
    return this.#registry.getWorkflow(key) as Workflows[Key] & AnyWorkflow;
  }

  getWorkflowById(id: string, ...rest: readonly never[]): AnyWorkflow {
    checkNoMore("getWorkflowById", rest);
    return this.#registry.getWorkflowById(id);
  }

  listWorkflows(...rest: readonly never[]): Workflows {
    checkNoMore("listWorkflows", rest);
    return this.#registry.listWorkflows() as Workflows & Named<AnyWorkflow>;
  }

  getTool<Key extends keyof Tools & string>(key: Key): Tools[Key] {
    return this.#registry.getTool(key) as Tools[Key] & AnyMastraTool;
  }

  listTools(): Tools {
    return this.#registry.listTools() as Tools & Named<AnyMastraTool>;
  }

  getVector<Key extends keyof Vectors & string>(name: Key): Vectors[Key] {
    return this.#registry.getVector(name) as Vectors[Key] & AnyVectorStore;
  }

  listVectors(): Vectors {
    return this.#registry.listVectors() as Vectors & Named<AnyVectorStore>;
  }

  getMCPServer(key: string): object {
    const found = this.#mcpServers[key];
    if (found === undefined) throw notRegistered("MCPServer", key, Object.keys(this.#mcpServers));
    return found;
  }

  getLogger(): MastraLogger {
    return this.#registry.getLogger();
  }

  getStorage(): CheckpointStore {
    return this.#registry.getStorage();
  }

  getServer(): ServerOptions {
    return this.#server;
  }

  /** Answers a request, such as `POST /api/agents/:id/generate`: a handler for web-standard servers and frameworks. */
  readonly fetch = (request: Request): Promise<Response> =>
    this.#chain.answer(request, (context) => this.#routes.answer(request, context.requestContext));

  readonly [served]: Serve = (request, pass) =>
    this.#chain.answer(request, (context) =>
      isRoute(request.method, context.req.path) ? this.#routes.answer(request, context.requestContext) : pass(context),
    );
}

/** Names of Mastra have a slash where a registry of the AI SDK has a colon. */
function namedModels(models: NamedModels): NamedModels {
  if (typeof models === "function" || !hasMethod(models, "languageModel")) return models;
  return (name) => {
    try {
      return models.languageModel(name);
    } catch (error) {
      if (!name.includes("/") || name.includes(":")) throw error;
      return models.languageModel(name.replace("/", ":"));
    }
  };
}

function entriesOf<T extends object>(
  kind: string,
  given: unknown,
  wanted: string,
  methods: readonly string[],
): Named<T> {
  if (given === undefined) return {};
  if (!isFields(given)) throw invalidMastraOption(`${kind} of new Mastra must be a record (got ${kindOf(given)}).`);
  for (const [key, entry] of Object.entries(given)) {
    if (isObject(entry) && methods.every((method) => typeof Reflect.get(entry, method) === "function")) continue;
    throw invalidMastraOption(`${kind}["${key}"] of new Mastra must be ${wanted} (got ${kindOf(entry)}).`);
  }
  return { ...given } as Named<T>;
}

function checkedStore(storage: CheckpointStore): CheckpointStore {
  const methods = ["get", "put", "delete", "list"];
  if (isObject(storage) && methods.every((method) => typeof Reflect.get(storage, method) === "function"))
    return storage;
  throw invalidMastraOption(
    "storage of new Mastra must be a store: memoryStore(), sqliteStore(path) or postgresStore({ … }).",
  );
}
