import { join } from "node:path";
import type { Installed } from "../installed.js";
import { importsOnly, programs } from "../types/programs.js";

export function installedKumiko(root: string): Installed {
  return {
    name: "kumiko",
    folder: root,
    tsconfig: join(root, "tsconfig.json"),
    // As it is published: its sources would be checked with every program.
    paths: { kumiko: [join(root, "dist/index.d.ts")] },
    entry: "kumiko",
    smallest: `
      import { END, Graph, START } from "kumiko";
      export const run = new Graph().addNode("a", (x) => x).addEdge(START, "a").addEdge("a", END).compile();
    `,
    typed: { imports: importsOnly.source, line: lineOf },
  };
}

function lineOf(count: number): string {
  const program = programs.find(({ name }) => name === `fluent, ${count} nodes`);
  if (program === undefined) throw new Error(`There is no program with ${count} fluent nodes.`);
  return program.source;
}
