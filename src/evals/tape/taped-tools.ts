import type { Tool, ToolContext } from "../../components/tool.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { CreatedStages, type ToolDefinition } from "../../tools/define/created-stages.js";
import { runAlone, streamAlone } from "../../tools/define/lone-call.js";
import { hasToolStages, toolStages } from "../../tools/define/tool-stages.js";
import { adaptTool } from "../../tools/formats/adapt-tool.js";
import { notATapedTool } from "../errors.js";
import type { Play } from "./play.js";

type Execute = NonNullable<ToolDefinition["execute"]>;
type Work = (input: unknown, ctx: ToolContext) => unknown;

/** Tools whose work is done by a tape. All that comes before and after the work is as ever. */
export function tapedTools(tools: readonly AnyTool[], play: Play): Tool[] {
  if (!Array.isArray(tools)) throw notATapedTool("The argument of tape.tools", tools);
  return tools.map((given: AnyTool, index) => {
    const tool = adaptTool(given, undefined, `tools[${index}] of tape.tools`);
    if (tool === undefined) throw notATapedTool(`tools[${index}] of tape.tools`, given);
    return tapedTool(tool as Tool, play);
  });
}

function tapedTool(tool: Tool, play: Play): Tool {
  if (!hasToolStages(tool)) return byHand(tool, new TapedWork(tool.info.name, play));
  const stages = tool[toolStages];
  // the models and tools of what runs inside are on the tape themselves, and a client is asked as ever
  if (!(stages instanceof CreatedStages) || stages.isAgent || stages.isClientTool || runsRunnable(stages)) return tool;
  const { execute } = stages.definition;
  if (execute === undefined) return tool;
  const work = new TapedWork(tool.info.name, play);
  const taped = new CreatedStages({
    ...stages.definition,
    stream: undefined,
    execute:
      stages.invoke === undefined
        ? (work.generator(execute as Work) as Execute)
        : (work.function(execute as Work) as Execute),
  });
  const copy: Tool & { readonly [toolStages]: CreatedStages } = Object.freeze({
    ...tool,
    [toolStages]: taped,
    invoke: (args: string, ctx: ToolContext) => runAlone(copy, args, ctx),
    stream: (args: string, ctx: ToolContext) => streamAlone(copy, args, ctx),
  });
  return copy;
}

/** Whether it was made by `asTool`: it has a second way for streams, and joins them as its Runnable says. */
function runsRunnable({ definition: { stream, concat } }: CreatedStages): boolean {
  return stream !== undefined && concat === undefined;
}

/** A tool that somebody wrote without `createTool`: it gets the arguments as text. */
function byHand(tool: Tool, work: TapedWork): Tool {
  const { invoke, stream } = tool;
  const { component, type, info, options, requireApproval } = tool;
  return {
    component,
    type,
    info,
    options,
    requireApproval: typeof requireApproval === "function" ? requireApproval.bind(tool) : requireApproval,
    ...(invoke && {
      invoke: work.function((text, ctx) => invoke.call(tool, text as string, ctx)) as NonNullable<Tool["invoke"]>,
    }),
    ...(stream && {
      stream: work.generator((text, ctx) => stream.call(tool, text as string, ctx)) as NonNullable<Tool["stream"]>,
    }),
  };
}

/** The work of one tool, which goes over a tape. */
class TapedWork {
  readonly #name: string;
  readonly #play: Play;

  constructor(name: string, play: Play) {
    this.#name = name;
    this.#play = play;
  }

  function(work: Work): Work {
    return async (input, ctx) => (await this.#play()).tool(this.#name).function(work, input, ctx);
  }

  /** Stages tell generator functions from others, and stream them. */
  generator(work: Work): Work {
    const [play, name] = [this.#play, this.#name];
    return async function* (input: unknown, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
      return yield* (await play()).tool(name).generator(work, input, ctx);
    };
  }
}
