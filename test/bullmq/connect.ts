import { createPostgresBackend, type Processor, Queue, Worker, withBackend } from "bullmq";

/** Where queues of BullMQ are. */
export interface Backend {
  /** For processes of their own: {@link connect}. */
  readonly address: Address;
  queue(name: string): Queue;
  worker(name: string, process: Processor, options?: WorkerSettings): Worker;
}

export type Address = { readonly redis: number } | { readonly postgres: string };

export interface WorkerSettings {
  readonly concurrency?: number;
  /** How long a worker is believed to live that has not been heard of. */
  readonly lockDuration?: number;
  readonly stalledInterval?: number;
  readonly maxStalledCount?: number;
}

export function connect(address: Address): Backend {
  if ("redis" in address) {
    const connection = { host: "127.0.0.1", port: address.redis, maxRetriesPerRequest: null };
    return {
      address,
      queue: (name) => quiet(new Queue(name, { connection })),
      worker: (name, process, options) => quiet(new Worker(name, process, { connection, ...options })),
    };
  }
  const classes = withBackend(createPostgresBackend);
  const connection = { connectionString: address.postgres, migrate: true, max: 4 };
  return {
    address,
    queue: (name) => quiet(new classes.Queue(name, { connection })) as unknown as Queue,
    worker: (name, process, options) =>
      quiet(new classes.Worker(name, process, { connection, ...options })) as unknown as Worker,
  };
}

/** Errors of connections, which come when a server stops. */
function quiet<T extends { on(event: "error", listener: () => void): unknown }>(thing: T): T {
  thing.on("error", () => undefined);
  return thing;
}
