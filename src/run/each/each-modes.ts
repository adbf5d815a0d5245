import type { NodeModes } from "../../compose/plan/plan.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { notItems } from "../errors.js";
import type { Program } from "../program.js";
import type { Task } from "../task.js";
import { EachRun, type EachSettings } from "./each-run.js";
import { ItemChunks } from "./stream-items.js";

/** The modes of a node made by `each`. `program`: the program of the single node that is run for each item. */
export function eachModes(settings: EachSettings): (program: Program) => NodeModes {
  return (program) => ({
    invoke: (list: unknown, task: Task) => {
      if (!Array.isArray(list)) throw notItems(task.nodePath, list);
      return list.length === 0 ? [] : new ListItems(program, task, settings, list).run();
    },
    transform: (list: StreamReader<unknown>, task: Task) =>
      new StreamReader(new ItemChunks(program, task, settings, list)),
  });
}

/** Runs the items of an array; the result is an array too. */
class ListItems extends EachRun {
  readonly #list: readonly unknown[];
  readonly #results: unknown[];
  #outcome: { readonly error: unknown } | "succeeded" | undefined = undefined;
  #resolve: ((results: unknown[]) => void) | undefined = undefined;
  #reject: ((error: unknown) => void) | undefined = undefined;

  constructor(program: Program, at: Task, settings: EachSettings, list: readonly unknown[]) {
    super(program, at, settings);
    this.#list = list;
    this.#results = settings.ordered ? new Array(list.length) : [];
  }

  /** Returns the results directly, unless an item is asynchronous. */
  run(): unknown[] | Promise<unknown[]> {
    this.open();
    let pending: Promise<unknown[] | undefined> | undefined;
    if (this.#outcome === undefined && this.isAllOrNothing) {
      const values = this.takeAll(this.#list);
      if (Array.isArray(values)) return values;
      pending = values;
    } else if (this.#outcome === undefined) this.take(this.#list, true);
    if (this.#outcome === "succeeded") return this.#results;
    if (this.#outcome !== undefined) throw this.#outcome.error;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      pending?.then((values) => values !== undefined && resolve(values));
    });
  }

  protected override given(index: number, value: unknown): void {
    if (this.settings.ordered) this.#results[index] = value;
    else this.#results.push(value);
  }

  protected override more(): void {}

  protected override succeeded(): void {
    this.#outcome = "succeeded";
    this.#resolve?.(this.#results);
  }

  protected override failed(error: unknown): void {
    this.#outcome = { error };
    this.#reject?.(error);
  }
}
