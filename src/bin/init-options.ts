import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";

export interface InitOptions {
  readonly folder: string;
  readonly template: "agent" | "chat";
  /** Asks nothing. */
  readonly isQuiet: boolean;
  /** Runs `npm install` too. */
  readonly isInstalled: boolean;
}

/** What was given; what was not can be asked for. */
export interface GivenInitOptions extends InitOptions {
  readonly asks: { readonly folder: boolean; readonly template: boolean };
}

const templates = {
  agent: "an agent with a tool and a test",
  chat: "a chat in the terminal that remembers, with a test",
} as const;

/** Reads the flags of `kumiko init`. Throws an error that says which one is wrong. */
export function readInitOptions(args: readonly string[]): GivenInitOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      template: { type: "string" },
      yes: { type: "boolean", short: "y", default: false },
      install: { type: "boolean", default: false },
    },
  });
  const [folder, ...others] = positionals;
  if (others.length > 0) throw new Error(`kumiko init takes one folder (got ${positionals.join(", ")}).`);
  if (folder === "") throw new Error("The folder of kumiko init must not be empty: kumiko init my-agent");
  const { template = "agent", yes: isQuiet, install: isInstalled } = values;
  if (!isTemplate(template)) throw new Error(wrongTemplate(template));
  const asks = { folder: folder === undefined, template: values.template === undefined };
  return { folder: folder ?? ".", template, isQuiet, isInstalled, asks };
}

/** Asks in the terminal for what was not given; Enter takes what is in brackets. */
export async function askInitOptions({ asks, ...options }: GivenInitOptions): Promise<InitOptions> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const left = new AbortController();
  // Ctrl+D closes it, and a question would wait for ever; so does Ctrl+C
  terminal.once("close", () => left.abort(new Error("\nNothing was made.")));
  const ask = async (text: string): Promise<string> => {
    const answer = terminal.question(text, { signal: left.signal });
    return (await answer.catch(() => left.signal.throwIfAborted()))?.trim() ?? "";
  };
  try {
    const folder = asks.folder ? (await ask("Folder (this one): ")) || "." : options.folder;
    let { template } = options;
    while (asks.template) {
      const list = Object.entries(templates).map(([name, text]) => `  ${name.padEnd(7)}${text}`);
      const answer = (await ask(`${list.join("\n")}\nTemplate (agent): `)) || "agent";
      if (isTemplate(answer)) {
        template = answer;
        break;
      }
      process.stdout.write(`${wrongTemplate(answer)}\n`);
    }
    return { ...options, folder, template };
  } finally {
    terminal.close();
  }
}

function isTemplate(name: string): name is InitOptions["template"] {
  return Object.hasOwn(templates, name);
}

const wrongTemplate = (name: string): string =>
  `There is no template "${name}". Templates: ${Object.keys(templates).join(", ")}.`;
