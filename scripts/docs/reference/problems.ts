import type { EntryDoc } from "./reference.js";

/** Entries, names, options, events and fields without a sentence, each with file and line. */
export function findMissingSentences(entries: readonly EntryDoc[]): string[] {
  const problems = entries.flatMap(({ specifier, text, names, place }) => [
    ...(text === "" ? [`${place} has no @packageDocumentation comment: what is ${specifier} for?`] : []),
    ...names.flatMap((name) => [
      ...(name.text === "" ? [`${name.place} has no doc comment: ${name.name}`] : []),
      ...name.fields
        .filter((field) => field.text === "" && !isForeign(field.place))
        .map((field) => `${field.place} has no doc comment: ${field.name} of ${name.name}`),
    ]),
  ]);
  // a field that several types inherit is named once
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = problem.replace(/ of \w+$/, "");
    return !seen.has(key) && seen.add(key);
  });
}

/** Files that repeat shapes of other packages, which their documentation describes. */
const foreignShapes = [
  "src/schema/standard-schema.ts",
  "src/schema/message/vendor-extension.ts",
  "src/tools/formats/foreign-tool.ts",
];

function isForeign(place: string): boolean {
  return foreignShapes.some((file) => place.startsWith(`${file}:`));
}
