import type { AgentRun } from "../agents/agent-context.js";
import { createMiddleware, type Middleware } from "../agents/create-middleware.js";
import { type OngoingTurn, turnAround } from "../agents/turn.js";
import { checkOptions } from "../check-options.js";
import { causedByInterrupt } from "../checkpoint/pause/interrupt.js";
import type { ToolContext } from "../components/tool.js";
import { endsRun, KumikoError, messageOf } from "../errors.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { createTool } from "../tools/define/create-tool.js";
import { filePath, folderPath } from "./file-path.js";
import { checkFilesOption, type FilesOption } from "./files.js";
import { PlainErrors } from "./plain-errors.js";
import { type ReadFolder, readFolder } from "./read-folders.js";
import { filesOfSkill, type ListedSkill, listSkills, skillAt, textAt } from "./skill-list.js";
import { pageOf } from "./text-pages.js";
import { chosenFiles } from "./workspace.js";

/** Options of {@link skills}. */
export interface SkillsOptions {
  /** The files, or a function that chooses them for each call. */
  readonly files: FilesOption;
  /** The folder in which each skill is a folder. @default "skills" */
  readonly path?: string | undefined;
}

/** The state of {@link skills}: what each agent of the turn is told. */
export interface SkillsState {
  /** By the name of the agent. */
  readonly listed: Readonly<Record<string, readonly ListedSkill[]>>;
}

const name = "skills";

/**
 * Tells an agent which skills there are, and gives it the tool `load_skill` to read one. A skill is a folder with a file `SKILL.md`, in
 * the form in which they are published: front matter with `name` and `description`, then instructions. The instructions of the agent
 * list them as they are when the turn begins. One that cannot be read is left out, and told as the event `skill_broken`. Needs the
 * package `yaml`.
 *
 * @example
 * const agent = createAgent({ model, middleware: [skills({ files: folderFiles("/srv/agent") })] });
 */
export function skills(options: SkillsOptions): Middleware<SkillsState> {
  checkOptions("skills", options, ["files", "path"]);
  const { files: option } = options;
  checkFilesOption("skills", option);
  const path = folderPath(options.path ?? "skills");
  const read = async (run: AgentRun<SkillsState>, turn: OngoingTurn): Promise<readonly ListedSkill[]> => {
    const { ctx } = run;
    try {
      const found = await listSkills(chosenFiles("skills", option, turn, ctx), path);
      for (const broken of found.broken) ctx.progress({ kind: "skill_broken", ...broken });
      return found.skills;
    } catch (error) {
      const isMissing = KumikoError.is(error) && ["PACKAGE_MISSING", "INVALID_OPTION"].includes(error.code);
      if (isMissing || causedByInterrupt(error) || endsRun(error) || ctx.signal.aborted) throw error;
      ctx.progress({ kind: "skills_failed", path, message: messageOf(error) });
      return [];
    }
  };
  const listing = async (run: AgentRun<SkillsState>): Promise<readonly ListedSkill[]> => {
    const turn = turnAround(run.ctx);
    if (turn === undefined) return [];
    const known = listedIn(run.state, turn, middleware);
    if (known !== undefined) return known;
    const listed = await read(run, turn);
    run.state = { listed: { ...run.state.listed, [run.agent]: listed } };
    return listed;
  };
  const base = createMiddleware<SkillsState>({
    name,
    state: () => ({ listed: {} }),
    tools: [loadTool((ctx) => ({ turn: turnAround(ctx), option, middleware }))],
    async beforeAgent(run) {
      await listing(run);
    },
    async beforeStep(run) {
      const listed = await listing(run);
      return listed.length === 0 ? { hideTools: [loadName] } : { addInstructions: instructionsFor(listed) };
    },
  });
  const middleware: Middleware<SkillsState> = Object.freeze({
    ...base,
    [readFolder]: { files: option, path } satisfies ReadFolder,
  });
  return middleware;
}

/** What the agent that answers now was told; after a handoff, that of another agent with the same middleware. */
function listedIn(
  { listed }: SkillsState,
  turn: OngoingTurn,
  middleware: Middleware<SkillsState>,
): readonly ListedSkill[] | undefined {
  const isSame = (agent: string): boolean => turn.partsOf(agent).middleware.some((one) => one === middleware);
  const { active } = turn.state;
  if (Object.hasOwn(listed, active)) return listed[active];
  const other = Object.keys(listed).find(isSame);
  return other === undefined ? undefined : listed[other];
}

function instructionsFor(listed: readonly ListedSkill[]): string {
  const lines = listed.map((skill) => `- ${skill.name}: ${skill.description}`);
  return `Skills are instructions for certain tasks. If one fits, read it with ${loadName} before you begin.\n\n${lines.join("\n")}`;
}

const loadName = "load_skill";

interface Loading {
  readonly turn: OngoingTurn | undefined;
  readonly option: FilesOption;
  readonly middleware: Middleware<SkillsState>;
}

function loadTool(loading: (ctx: ToolContext) => Loading): AnyTool {
  const tool = createTool({
    id: loadName,
    description:
      "Reads the instructions of a skill, or another file of it. After 50,000 characters it says how to go on.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "The name of the skill." },
        file: {
          type: "string",
          description: "A file of the skill, such as reference/forms.md. Its instructions if you leave it out.",
        },
        offset: { type: "integer", minimum: 0, description: "The character to begin with; 0 if you leave it out." },
      },
      required: ["name"],
      additionalProperties: false,
    },
    execute: async (input, ctx) => {
      const {
        name: wanted,
        file,
        offset = 0,
      } = input as { readonly name: string; readonly file?: string; readonly offset?: number };
      const { turn, option, middleware } = loading(ctx);
      if (turn === undefined) throw new Error("The tools of skills run in an agent.");
      const state = turn.state.middleware[name] as SkillsState | undefined;
      const listed = (state && listedIn(state, turn, middleware)) ?? [];
      const skill = listed.find((one) => one.name === wanted);
      if (skill === undefined)
        throw new Error(`There is no skill ${wanted}. Skills: ${listed.map((one) => one.name).join(", ") || "none"}.`);
      const files = new PlainErrors(chosenFiles("skills", option, turn, ctx));
      if (file !== undefined) return pageOf(await textAt(files, `${skill.folder}/${filePath(file)}`), offset);
      const { body } = await skillAt(files, skill.folder);
      const others = await filesOfSkill(files, skill.folder);
      return pageOf(others.length === 0 ? body : `${body}\n\n[Files of the skill: ${others.join(", ")}]`, offset);
    },
  });
  return tool as AnyTool;
}
