import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UIMessage } from "ai";
import { afterAll, describe, expect, it } from "vitest";
import { usePrograms } from "../../../programs.js";
import { Client, type ClientOptions, comparable, messageOf } from "../chat-client.js";
import { costs, prompts } from "../trip.js";

const source = join(import.meta.dirname, "server.ts");
const programOf = usePrograms(source);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-chats-"));

interface Process {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<unknown>;
}

const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Process> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", programOf(source), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.add(child);
  const ended = once(child, "close").finally(() => started.delete(child));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, url: line.toString().trim(), ended };
}

const json = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

/** What ran although it had been saved that it had run. */
function paidTwice(lines: readonly string[]): string[] {
  return lines.filter((line, at) => !line.startsWith("saved ") && lines.slice(0, at).includes(`saved ${line}`));
}

type Recovery = "is loaded again" | "repeats its request";

/** A conversation whose server is killed after so many chunks; another one takes over. */
async function converse(
  name: string,
  way: Pick<ClientOptions, "answers" | "agrees">,
  servers: {
    readonly first: Promise<Process>;
    readonly second: Promise<Process>;
    readonly at: number;
    readonly recovery: Recovery;
  },
) {
  const first = await servers.first;
  await fetch(`${first.url}/end/${name}/${servers.at}`);
  const seen: string[] = [];
  const client = new Client({
    ...{ url: `${first.url}/${name}`, id: "t", ...way },
    onFailure: async (body) => {
      if (client.closed > 0) return undefined;
      await first.ended;
      const { url } = await servers.second;
      const turns = await json<string[]>(`${url}/turns/${name}`);
      seen.push(turns.at(-1) ?? "none");
      if (servers.recovery === "repeats its request") {
        const response = await fetch(`${url}/${name}/chat`, { method: "POST", ...{ body: body ?? "" } });
        const text = await response.text();
        seen.push(`${response.status}${response.ok ? "" : text}`);
      }
      return { url: `${url}/${name}` };
    },
  });
  const replayed: UIMessage[] = [];
  for (const prompt of prompts) {
    await client.ask(prompt);
    // a turn that has ended before its recording was written needs no replay
    const response = await fetch(`${client.url}/whole/t/stream`);
    const text = response.status === 204 ? "" : await response.text();
    const isCut = text === "" || (seen[0] !== "cut_off" && text.includes('"type":"error"'));
    replayed.push(isCut ? (client.messages.at(-1) as UIMessage) : await messageOf(new Response(text)));
  }
  const { url } = await servers.second;
  const loaded = await json<UIMessage[]>(`${url}/${name}/chat/t`);
  const lines = readFileSync(join(folder, `${name}.log`), "utf8")
    .trim()
    .split("\n");
  const shown = { messages: comparable(client.messages), loaded: comparable(loaded), replayed: comparable(replayed) };
  return { client, seen, lines, ...shown };
}

const all = process.env.KUMIKO_CHATS === "all";

describe.each<Pick<ClientOptions, "answers" | "agrees">>([
  { answers: "together" },
  ...(all ? ([{ answers: "apart" }, { answers: "apart", agrees: false }] as const) : []),
])("a chat whose server is killed after any chunk (%o)", (way) => {
  it.each<Recovery>(["is loaded again", "repeats its request"])(
    "goes on elsewhere once it %s, and nothing that was saved is paid again",
    {
      timeout: 1_200_000,
    },
    async (recovery) => {
      const name = `${way.answers}-${way.agrees ?? true}-${recovery.slice(0, 2)}`;
      let next = start();
      const first = next;
      const whole = await converse(`${name}-whole`, way, {
        first,
        second: first,
        at: Number.POSITIVE_INFINITY,
        recovery,
      });
      if (way.agrees !== false)
        expect(whole.lines.filter((line) => !line.startsWith("saved ")).toSorted()).toEqual(costs);
      const counts: Record<string, number> = {};
      let extra = 0;
      for (let at = all ? 0 : 5; at < whole.client.chunks; at += all ? 1 : 23) {
        const second = start();
        second.catch(() => undefined);
        const again = await converse(`${name}-${at}`, way, { first: next, second, at, recovery });
        next = second;
        for (const one of again.seen) counts[one] = (counts[one] ?? 0) + 1;
        const where = `chunk ${at}, ${again.seen.join()}`;
        expect([where, again.loaded]).toEqual([where, whole.loaded]);
        expect([where, again.replayed]).toEqual([where, whole.replayed]);
        expect([where, again.messages]).toEqual([where, whole.messages]);
        expect([where, paidTwice(again.lines)]).toEqual([where, []]);
        extra += again.lines.filter((line) => !line.startsWith("saved ")).length - costs.length;
      }
      if (all) console.log(name, whole.client.chunks, counts, extra);
    },
  );
});
