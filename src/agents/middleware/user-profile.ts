import { checkOptions } from "../../check-options.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { createTool } from "../../tools/define/create-tool.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { turnAround } from "../turn.js";
import { requireCount } from "./trim-messages.js";

/** Options of {@link userProfile}. */
export interface UserProfileOptions {
  /** How long the profile may be, as the model reads it. A change that makes it longer is refused. @default 4_000 */
  readonly maxCharacters?: number | undefined;
}

/** What is known of a user: a value by key. */
export type Profile = Readonly<Record<string, unknown>>;

const name = "userProfile";

const description =
  "Remembers lasting facts about the user across all conversations, such as preferences, names and circumstances. Each key holds one " +
  "fact: set adds or replaces facts, remove forgets them. Use it when the user tells something worth knowing next time, or asks to forget.";

const inputSchema = {
  type: "object",
  properties: {
    set: { type: "object", description: "Facts by key: short keys, short values.", additionalProperties: true },
    remove: { type: "array", items: { type: "string" }, description: "Keys to forget." },
  },
  additionalProperties: false,
} as const;

/**
 * Remembers facts about the user across threads: the model writes them with the tool `update_profile`, and reads them at the end of
 * its instructions, one JSON line per key, as they were when the turn began. Needs a `userId` in the call (else `NO_USER`), and a store.
 * `threads(store).deleteUser(userId)` forgets them.
 *
 * @example
 * const agent = createAgent({ model, store, middleware: [userProfile()] });
 * await agent.generate("I am a vegetarian.", { userId: "ada" });
 */
export function userProfile(options: UserProfileOptions = {}): Middleware<Profile> {
  checkOptions(name, options, ["maxCharacters"]);
  const { maxCharacters = 4_000 } = options;
  requireCount(name, { maxCharacters });
  const tool = createTool({
    id: "update_profile",
    description,
    inputSchema,
    execute: (input, ctx) => {
      const { set = {}, remove = [] } = input as { readonly set?: Profile; readonly remove?: readonly string[] };
      const states = turnAround(ctx)?.state.middleware;
      if (states === undefined) throw new Error("Only an agent can keep a profile.");
      const profile = new Map(Object.entries((states[name] ?? {}) as Profile));
      for (const key of remove) profile.delete(key);
      for (const [key, value] of Object.entries(set)) profile.set(key, value);
      const changed: Profile = Object.fromEntries(profile);
      const length = linesOf(changed).length;
      if (length > maxCharacters) {
        throw new Error(
          `The profile would have ${length} characters, and at most ${maxCharacters} are kept. Nothing was changed: write shorter values, or remove some keys.`,
        );
      }
      states[name] = changed;
      return `The profile has ${profile.size} ${profile.size === 1 ? "entry" : "entries"}.`;
    },
  });
  return createMiddleware<Profile>({
    name,
    scope: "user",
    state: () => ({}),
    tools: [tool as AnyTool],
    beforeStep(run) {
      // it is there from the first step on, for the tool
      void run.state;
      const lines = linesOf((turnAround(run.ctx)?.state.user?.began[name] ?? {}) as Profile);
      return lines === "" ? undefined : { addInstructions: `What is known about the user:\n${lines}` };
    },
  });
}

function linesOf(profile: Profile): string {
  return Object.entries(profile)
    .map(([key, value]) => JSON.stringify({ [key]: value }))
    .join("\n");
}
