/** @jsxImportSource preact */
import { useCallback, useMemo, useState } from "preact/hooks";
import type { AgentView, AppView as AppData, RunResult, ToolView } from "../../api.js";
import type { Level } from "../../layout/level.js";
import { levelPath, messageOf, newKey, RequestFailure } from "../client.js";
import { draftOf, type Mistake, readDraft } from "../form/draft.js";
import { fieldModel } from "../form/field-model.js";
import { RootFields } from "../form/question-form.js";
import { Dialog } from "../parts/dialog.js";
import { useIsSmall } from "../parts/elements.js";
import { plural } from "../parts/format.js";
import { Icon, iconOf } from "../parts/icon.js";
import { JsonView } from "../parts/json-view.js";
import { SafeText } from "../parts/safe-text.js";
import { isSendKey, SendKey } from "../parts/send-key.js";
import { go } from "../route.js";
import { GraphView } from "../run/graph-view.js";
import { useLoaded, useSession } from "../session.js";

/** An app: its graph, what it is told, its tools, and a form that starts it. */
export function AppView({ appKey }: { readonly appKey: string }) {
  const { client } = useSession();
  const { data, error } = useLoaded<AppData>(`app ${appKey}`, () => client.get(`apps/${encodeURIComponent(appKey)}`));
  if (error !== undefined)
    return (
      <div class="empty">
        <h1>This app cannot be shown</h1>
        <p class="failure">{error}</p>
      </div>
    );
  if (data === undefined) return <p class="empty t3">Loading …</p>;
  return <LoadedApp app={data} />;
}

function LoadedApp({ app }: { readonly app: AppData }) {
  const { client, about } = useSession();
  const loadLevel = useCallback(
    (opened: readonly string[]) => client.get<Level>(levelPath(`apps/${encodeURIComponent(app.key)}`, opened)),
    [client, app.key],
  );
  const [selected, setSelected] = useState<string | undefined>();
  const [isStarting, setIsStarting] = useState(false);
  const isSmall = useIsSmall();
  const [tab, setTab] = useState<"graph" | "about">("graph");
  const hasPane = app.agent !== undefined || app.input !== undefined || selected !== undefined;
  return (
    <>
      <header class="head">
        <h1 class="cut">
          <SafeText text={app.name} hasLinks={false} />
        </h1>
        <span class="t3">
          {app.component} · {plural(app.graph.nodes.length, "node")}
          {app.keeps === "session" && " · runs are kept until the process ends"}
          {app.keeps === "none" && " · runs are not kept"}
        </span>
        <span class="grow" />
        {isSmall && hasPane && (
          <button type="button" class="btn" onClick={() => setTab(tab === "graph" ? "about" : "graph")}>
            {tab === "graph" ? "About" : "Graph"}
          </button>
        )}
        {about.can === "act" && app.error === undefined && (
          <button type="button" class="btn primary" onClick={() => setIsStarting(true)}>
            <Icon name="play" size={11} isFilled />
            Start a run
          </button>
        )}
      </header>
      {app.error === undefined ? (
        <div class={`app-body${hasPane ? "" : " alone"} show-${tab}`}>
          <GraphView
            info={app.graph}
            level={app.level}
            loadLevel={loadLevel}
            name={app.name}
            selected={selected}
            onSelect={setSelected}
          />
          {hasPane && (
            <aside class="pane about" tabIndex={0} aria-label="About the app">
              <About app={app} selected={selected} />
            </aside>
          )}
        </div>
      ) : (
        <p class="empty failure">
          <SafeText text={app.error} />
        </p>
      )}
      {isStarting && <StartDialog app={app} onClose={() => setIsStarting(false)} />}
    </>
  );
}

function About({ app, selected }: { readonly app: AppData; readonly selected: string | undefined }) {
  const [, tool] = (selected ?? "").split("#");
  const { agent, input } = app;
  const tools = agent === undefined || agent.tools === "dynamic" ? [] : agent.tools;
  return (
    <div class="insp">
      {agent !== undefined && <AgentFacts agent={agent} />}
      {agent?.tools === "dynamic" && <p class="t2">Its tools are chosen for each call.</p>}
      {tools.length > 0 && (
        <section class="sec">
          <h2>{plural(tools.length, "tool")}</h2>
          {tools.map((item) => (
            <ToolFacts key={item.name} tool={item} isOpen={item.name === tool} />
          ))}
        </section>
      )}
      {selected !== undefined && tool === undefined && <NodeFacts app={app} path={selected} />}
      {input !== undefined && agent === undefined && (
        <section class="sec">
          <h2>Input</h2>
          <JsonView value={JSON.parse(JSON.stringify(input))} label="Schema of the input" />
        </section>
      )}
    </div>
  );
}

function AgentFacts({ agent }: { readonly agent: AgentView }) {
  const { description, instructions, model, handoffs, middleware, maxSteps } = agent;
  return (
    <>
      {description !== undefined && (
        <p class="t2">
          <SafeText text={description} />
        </p>
      )}
      <dl class="kv num">
        {model !== undefined && <Fact name="Model" value={model} />}
        <Fact name="Steps" value={maxSteps === "dynamic" ? "decided for each call" : `at most ${maxSteps}`} />
        {handoffs.length > 0 && (
          <Fact name="Hands off to" value={typeof handoffs === "string" ? handoffs : handoffs.join(", ")} />
        )}
        {middleware.length > 0 && <Fact name="Middleware" value={middleware.join(", ")} />}
      </dl>
      {instructions !== undefined && (
        <section class="sec">
          <h2>Instructions</h2>
          <p class="instructions">
            {instructions === "dynamic" ? "Written for each call." : <SafeText text={instructions} />}
          </p>
        </section>
      )}
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <SafeText text={value} />
      </dd>
    </>
  );
}

function ToolFacts({ tool, isOpen }: { readonly tool: ToolView; readonly isOpen: boolean }) {
  const { name, description, parameters, approval, kind } = tool;
  return (
    <details class="tool-facts" open={isOpen}>
      <summary>
        <Icon name="tool" size={13} />
        <code>{name}</code>
        <span class="grow" />
        {approval !== undefined && <span class="pill waiting">{approval === "always" ? "approval" : "may ask"}</span>}
        {kind !== "local" && <span class="t3">{kind}</span>}
      </summary>
      {description !== undefined && (
        <p class="t2">
          <SafeText text={description} />
        </p>
      )}
      {parameters !== undefined && (
        <JsonView value={JSON.parse(JSON.stringify(parameters))} label={`Schema of ${name}`} />
      )}
    </details>
  );
}

/** Of the node that is chosen in the graph. */
function NodeFacts({ app, path }: { readonly app: AppData; readonly path: string }) {
  const node = path
    .split("/")
    .reduce<Node | undefined>((outer, key) => outer?.graph?.nodes.find((inner) => inner.key === key), {
      graph: app.graph,
      key: "",
      component: "graph",
    });
  if (node === undefined) return null;
  const { component, type, graph } = node;
  return (
    <section class="sec">
      <h2>
        <Icon name={iconOf(component, type)} size={12} />
        {path}
      </h2>
      <dl class="kv">
        <Fact name="Component" value={component} />
        {type !== undefined && <Fact name="Type" value={type} />}
        {graph !== undefined && <Fact name="Inside" value={plural(graph.nodes.length, "node")} />}
        {node.policies !== undefined && <Fact name="Policies" value={node.policies.join(", ")} />}
      </dl>
    </section>
  );
}

type Node = Pick<AppData["graph"]["nodes"][number], "key" | "component" | "type" | "graph" | "policies">;

function StartDialog({ app, onClose }: { readonly app: AppData; onClose(): void }) {
  const { client } = useSession();
  const schema = app.agent === undefined ? app.input : messageSchema;
  const model = useMemo(() => fieldModel(schema), [schema]);
  const [draft, setDraft] = useState(() => draftOf(model, model.initial));
  const [isTried, setIsTried] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [failure, setFailure] = useState<string | undefined>();
  const [refused, setRefused] = useState<readonly Mistake[]>([]);
  const [key] = useState(newKey);
  const { value, mistakes } = readDraft(model, draft);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setIsTried(true);
    if (mistakes.length > 0 || isSending) return;
    setIsSending(true);
    try {
      const { run } = await client.post<RunResult>("start", { app: app.key, input: value, key });
      onClose();
      go({ view: "run", ref: run.ref });
    } catch (error) {
      setIsSending(false);
      const fields = error instanceof RequestFailure ? error.fields : [];
      setRefused(fields.map(({ path, message }) => ({ path: path.join("."), message })));
      setFailure(messageOf(error));
    }
  };
  const keys = (event: KeyboardEvent): void => {
    if (isSendKey(event)) void send(event);
  };
  return (
    <Dialog title={`Start ${app.name}`} onClose={onClose}>
      <form onSubmit={send} onKeyDown={keys} noValidate>
        <div class="fields">
          <RootFields
            model={model}
            draft={draft}
            mistakes={isTried ? [...mistakes, ...refused] : refused}
            onChange={setDraft}
          />
          <p class="t3">Runs for real: models and tools are called, and cost what they cost.</p>
          {failure !== undefined && (
            <p class="form-failure" role="alert">
              <SafeText text={failure} />
            </p>
          )}
        </div>
        <div class="acts">
          <button type="submit" class="btn primary" disabled={isSending}>
            {isSending ? "Starting …" : "Start"} <SendKey />
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Agents take a message, and the id of a thread if the conversation goes on later. */
const messageSchema = {
  type: "object",
  properties: {
    message: { type: "string", title: "Message", maxLength: 100_000, minLength: 1 },
    threadId: { type: "string", title: "Thread", description: "An id, to go on with the conversation later." },
  },
  required: ["message"],
};
