import type { Queue } from "bullmq";
import type { Runs } from "kumiko/durable";
import type { Crew } from "./crew.js";
import type { TurnRequest } from "./worker.js";

/** How workers hear of what is to be done: once is enough, more often does no harm. */
export interface Delivery {
  run(app: string, id: string): Promise<unknown>;
  turn(request: TurnRequest): Promise<unknown>;
  /** A run that was answered, or is tried again. */
  goOn(app: string, id: string): Promise<unknown>;
}

/** Workers find runs in the store; turns are delivered to all processes, and to each that comes later. */
export function toWorkers(inbox: Runs, crew: Crew): Delivery {
  return {
    run: (app, id) => inbox.enqueue(app, id, { id }),
    turn: async (request) => crew.tell(JSON.stringify(request)),
    goOn: async () => undefined,
  };
}

/** Each job comes twice. */
export function toQueue(queue: Queue): Delivery {
  const add = async (name: string, data: object): Promise<void> => {
    await queue.add(name, data, { removeOnComplete: true });
  };
  const twice = async (name: string, data: object): Promise<void> => {
    await add(name, data);
    await add(name, data);
  };
  return {
    run: (app, id) => twice(app, { id, input: id }),
    turn: (request) => twice("clerk", request),
    goOn: (app, id) => add(app, { id }),
  };
}
