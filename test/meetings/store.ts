import type { CheckpointStore } from "kumiko";
import type { Process, World } from "./world.js";

/** A write of some process. */
export interface Write {
  readonly process: number;
  isDone: boolean;
}

/** The store of one process, on rows that outlive it. */
export class Writes {
  readonly rows: CheckpointStore;
  readonly all: Write[] = [];
  /** The process whose run has removed its checkpoint. */
  deletedBy: number | undefined = undefined;
  readonly #appends: boolean;

  constructor(rows: CheckpointStore, appends: boolean) {
    this.rows = rows;
    this.#appends = appends;
  }

  storeFor(process: Process): CheckpointStore {
    const { rows } = this;
    let count = 0;
    const write = async <T>(work: () => Promise<T>): Promise<T> => {
      if (!process.isAlive) return process.kill();
      const { world, stop } = process;
      count++;
      await turnOf(world);
      if (!process.isAlive) return process.kill();
      const isAt = count === stop?.at;
      if (stop?.kind === "store fails" && count >= stop.at) {
        process.wasStopped = true;
        throw new Error("the store is down");
      }
      if (stop?.kind === "gone" && isAt) return process.kill();
      const one: Write = { process: process.number, isDone: false };
      this.all.push(one);
      world.writesBegun++;
      const result = await work();
      one.isDone = true;
      world.writesDone++;
      if (stop?.kind === "gone after" && isAt) return process.kill();
      await turnOf(world);
      if (!process.isAlive) return process.kill();
      return result;
    };
    const { append } = rows;
    return {
      get: async (id) => {
        await turnOf(process.world);
        return process.isAlive ? rows.get(id) : process.kill();
      },
      put: (id, data, ifVersion) => {
        const own = data.slice();
        return write(() => rows.put(id, own, ifVersion));
      },
      ...(this.#appends && append
        ? {
            append: (id: string, data: Uint8Array, ifVersion: number) => {
              const own = data.slice();
              return write(() => append.call(rows, id, own, ifVersion));
            },
          }
        : {}),
      delete: (id, ifVersion) =>
        write(async () => {
          await rows.delete(id, ifVersion);
          this.deletedBy = process.number;
        }),
      list: (prefix) => rows.list(prefix),
    };
  }
}

async function turnOf(world: World): Promise<void> {
  world.activity++;
  await new Promise(setImmediate);
  world.activity++;
}
