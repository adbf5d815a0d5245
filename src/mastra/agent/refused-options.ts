const speech = "Speech is not supported: give the text of a result to the speech service of your provider.";
const scored = "Scorers are not supported: measure results with evaluate of kumiko/evals.";
const measured = "Evals are not supported: measure results with evaluate of kumiko/evals.";
const networks =
  "Agent networks are not supported: use the option handoffs of an agent, or other agents as tools (agent.asTool()).";
const channels =
  "Channels are not supported: call agent.stream where the messages arrive, with a threadId for each channel.";

/** What to use in place of options of Mastra that an agent does not have. The names in it are exports or options of this package. */
const ofAgents: Readonly<Record<string, string>> = {
  voice: speech,
  scorers: scored,
  evals: measured,
  network: networks,
  workspace: "Use the option middleware, with workspace of kumiko/workspace.",
  goals: goals(),
  goal: goals(),
  channels,
  memory:
    "Memory is not supported: conversations are kept in the storage when a call has memory: { thread, resource }. Use the option " +
    "middleware, with userProfile and recall of kumiko/agents across conversations, trimMessages and summarize for long ones.",
  inputProcessors: processors("guard or trimMessages", "beforeStep"),
  outputProcessors: processors("guard", "afterModel"),
  errorProcessors: processors("createMiddleware", "wrapModelCall"),
  agents: "Give other agents as tools (agent.asTool()), or use the option handoffs.",
  workflows:
    "Give the agent a tool that runs the workflow: createTool({ execute: () => workflow.createRun().start({ … }) }).",
  defaultOptions: defaults(),
  defaultGenerateOptions: defaults(),
  defaultStreamOptions: defaults(),
  defaultGenerateOptionsLegacy: defaults(),
  defaultStreamOptionsLegacy: defaults(),
  defaultNetworkOptions: networks,
  system: "It is called instructions here.",
  skills: "Use the option middleware, with skills of kumiko/workspace.",
  requireApproval:
    'Use middleware: [approvals({ rules: [{ tool: "*", action: "ask" }] })], with approvals of kumiko/agents, or the option ' +
    "requireApproval of a tool.",
  mastra: "Register the agent: new Mastra({ agents: { … } }).",
};

function processors(made: string, hook: string): string {
  const own = `createMiddleware({ name, ${hook} })`;
  const use = made === "createMiddleware" ? own : `${made}, or ${own},`;
  return `Processors are not supported: use the option middleware of the agent, with ${use} of kumiko/agents.`;
}

function goals(owner?: string): string {
  const option = owner === undefined ? "stopWhen" : `the option stopWhen of ${owner}`;
  return `Goals are not supported: use ${option}, which says after each step whether the run is over.`;
}

function defaults(): string {
  return "Set modelOptions, maxSteps and output of the agent.";
}

/** The same for the options of a call. */
const ofCalls: Readonly<Record<string, string>> = {
  voice: speech,
  evals: measured,
  network: networks,
  workspace: "Give the agent the option middleware, with workspace of kumiko/workspace.",
  goals: goals("the agent"),
  goal: goals("the agent"),
  channels,
  clientTools: "Give the agent tools without execute: the run then waits for their results, and resume takes them.",
  toolsets: "Give the tools to the agent: new Agent({ tools }), which may be a function of the request context.",
  instructions:
    "Give instructions to the agent: new Agent({ instructions }), which may be a function of the request context.",
  system:
    "Give instructions to the agent: new Agent({ instructions }), which may be a function of the request context.",
  activeTools:
    "Make tools of the agent a function of the request context, or use createMiddleware({ name, beforeStep }) of kumiko/agents.",
  output: "Use structuredOutput: { schema }.",
  experimental_output: "Use structuredOutput: { schema }.",
  context: "Put these messages into the prompt, which is the first argument.",
  prompt: "The prompt is the first argument.",
  resourceId: "Use memory: { resource, thread }.",
  memoryOptions: "Use the middlewares trimMessages and summarize of kumiko/agents.",
  stopWhen: "It is an option of the agent: new Agent({ stopWhen }).",
  prepareStep: "Use createMiddleware({ name, beforeStep }) of kumiko/agents.",
  inputProcessors: processors("guard or trimMessages", "beforeStep"),
  outputProcessors: processors("guard", "afterModel"),
  scorers: scored,
  savePerStep: 'It is an option of the agent: new Agent({ durability: "step" }).',
  format: "Use uiMessageStream(stream.events) of kumiko/ui for clients of the AI SDK.",
  telemetry: "Use callbacks: [otelTracer()], with otelTracer of kumiko/otel.",
  tracingOptions: "Use callbacks: [otelTracer()], with otelTracer of kumiko/otel.",
  tracingContext: "Use callbacks: [otelTracer()], with otelTracer of kumiko/otel.",
  maxRetries: "It is an option of the agent: new Agent({ maxRetries }).",
  temperature: "Use modelSettings: { temperature }.",
  topP: "Use modelSettings: { topP }.",
  topK: "Use modelSettings: { topK }.",
  seed: "Use modelSettings: { seed }.",
  maxTokens: "Use modelSettings: { maxOutputTokens }.",
  maxOutputTokens: "Use modelSettings: { maxOutputTokens }.",
  model: "It is an option of the agent: new Agent({ model }), which may be a function of the request context.",
  tools: "It is an option of the agent: new Agent({ tools }), which may be a function of the request context.",
  middleware: "It is an option of the agent: new Agent({ middleware }).",
};

const ofStructuredOutput: Readonly<Record<string, string>> = {
  model: "The agent's own model gives the object. Use fallbacks of the agent for a second one.",
  instructions: "Put them into the instructions of the agent, or into descriptions of the schema.",
  errorStrategy: "An answer that does not fit is asked for again; then the call rejects with INVALID_OUTPUT.",
  fallbackValue: "An answer that does not fit is asked for again; then the call rejects with INVALID_OUTPUT.",
  jsonPromptInjection: 'Set outputMode: "tool" of the agent for models without a JSON mode.',
};

const ofSettings: Readonly<Record<string, string>> = {
  maxRetries: "It is an option of the agent: new Agent({ maxRetries }).",
  maxTokens: "Use maxOutputTokens.",
  stop: "Use stopSequences.",
  abortSignal: "It is an option of the call: abortSignal.",
  timeout: "It is an option of the call: timeoutMs.",
  toolChoice: "It is an option of the call: toolChoice.",
  providerOptions: "It is an option of the call: providerOptions.",
};

const ofMastra: Readonly<Record<string, string>> = {
  voice: speech,
  evals: measured,
  network: networks,
  goals: goals("agents"),
  goal: goals("agents"),
  channels,
  memory:
    "Memory is not supported: conversations are kept in the storage when a call has memory: { thread, resource }.",
  telemetry: "Give the agents and workflows callbacks: [otelTracer()], with otelTracer of kumiko/otel.",
  observability: "Give the agents and workflows callbacks: [otelTracer()], with otelTracer of kumiko/otel.",
  scorers: scored,
  tts: speech,
  workspace: "Use the option middleware of the agents, with workspace of kumiko/workspace.",
  deployer: "Serve mastra.fetch with your own server: honoMiddleware, expressMiddleware or nextHandler.",
  bundler: "Serve mastra.fetch with your own server: honoMiddleware, expressMiddleware or nextHandler.",
  serverMiddleware: "Use server: { middleware }.",
  processors: "Processors are not supported: use the option middleware of the agents.",
  gateways: "Use models: a registry or gateway of the AI SDK.",
  vnext_networks: networks,
};

const hintIn =
  (hints: Readonly<Record<string, string>>) =>
  (name: string): string =>
    Object.hasOwn(hints, name) ? (hints[name] ?? "") : "";

const ofSteps: Readonly<Record<string, string>> = {
  scorers: scored,
  requestContextSchema: "Check the values of requestContext in execute.",
  metadata: "Steps have no metadata: tell what the step does in its description.",
};

/** Sentences that say what to use in place of an option; empty for options that no library is known to have. */
export const refused = {
  agent: hintIn(ofAgents),
  call: hintIn(ofCalls),
  structuredOutput: hintIn(ofStructuredOutput),
  modelSettings: hintIn(ofSettings),
  mastra: hintIn(ofMastra),
  step: hintIn(ofSteps),
};
