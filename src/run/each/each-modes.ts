import type { NodeModes } from "../../compose/plan/plan.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { notItems } from "../errors.js";
import type { Program } from "../program.js";
import type { Task } from "../task.js";
import type { EachSettings } from "./each-run.js";
import { ListItems } from "./list-items.js";
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
