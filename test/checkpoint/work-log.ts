import type { NodeContext } from "kumiko";
import type { Process } from "./stoppable.js";

interface Entry {
  readonly name: string;
  readonly taskKey: string;
  readonly process: Process;
  ended: boolean;
}

/**
 * The work that tasks do outside of their run, which nobody can take back. Each piece names itself, and the pieces that it
 * builds on: those must be saved, and so must never be done again.
 */
export class WorkLog {
  readonly #entries: Entry[] = [];
  readonly #final = new Set<string>();
  /** What must not have happened. */
  readonly wrongs: string[] = [];

  /** Does a piece of work in a process: it takes two moments. */
  async work(
    process: Process,
    ctx: Pick<NodeContext, "taskKey">,
    name: string,
    after: readonly string[] = [],
  ): Promise<void> {
    await process.moment();
    const { taskKey } = ctx;
    // what a run still does after it was stopped is not saved
    if (!process.wasStopped) for (const earlier of after) this.#settle(earlier);
    if (this.#final.has(taskKey)) this.wrongs.push(`${name} was finished, and ran again`);
    const same = this.#entries.find((entry) => entry.taskKey === taskKey && entry.name !== name);
    if (same !== undefined) this.wrongs.push(`${name} has the task key of ${same.name}`);
    if (this.#entries.some((entry) => entry.taskKey === taskKey && entry.process === process)) {
      this.wrongs.push(`${name} ran twice in one process`);
    }
    const entry = { name, taskKey, process, ended: false };
    this.#entries.push(entry);
    await process.moment();
    entry.ended = true;
  }

  /** The names of the tasks that ran, each once however often it ran: told apart by their keys. */
  get tasks(): string[] {
    return [...new Map(this.#entries.map(({ name, taskKey }) => [taskKey, name])).values()].sort();
  }

  /** Every time that a task ran. */
  get runs(): string[] {
    return this.#entries.map(({ name }) => name).sort();
  }

  /** Something builds on it: there is one task of that name whose work is final. */
  #settle(name: string): void {
    const keys = new Set(
      this.#entries.filter((entry) => entry.name === name && entry.ended).map(({ taskKey }) => taskKey),
    );
    if (keys.size === 0) this.wrongs.push(`${name} has not ended, and something builds on it`);
    if (keys.size === 1) for (const key of keys) this.#final.add(key);
  }
}
