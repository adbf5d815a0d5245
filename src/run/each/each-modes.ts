import type { NodeModes } from "../../compose/plan/plan.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { notItems } from "../errors.js";
import type { Program } from "../program.js";
import type { Task } from "../task.js";
import type { EachSettings } from "./each-run.js";
import { ListItems } from "./list-items.js";
import { ItemChunks } from "./stream-items.js";

/** What a node does that runs another for each item of a list. `items`: the program of that other node, alone. */
export function eachModes(settings: EachSettings): (items: Program) => NodeModes {
  return (items) => ({
    invoke: (list: unknown, task: Task) => {
      if (!Array.isArray(list)) throw notItems(task.nodePath, list);
      return list.length === 0 ? [] : new ListItems(items, task, settings, list).run();
    },
    transform: (list: StreamReader<unknown>, task: Task) =>
      new StreamReader(new ItemChunks(items, task, settings, list)),
  });
}
