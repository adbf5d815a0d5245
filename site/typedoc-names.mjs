// A plugin for typedoc: modules are named after the entries that users import, not after their source files.
import { Converter } from "typedoc";

/** @param {import("typedoc").Application} app */
export function load(app) {
  const names = new Map(Object.entries(JSON.parse(process.env.KUMIKO_ENTRIES ?? "{}")));
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
  });
}
