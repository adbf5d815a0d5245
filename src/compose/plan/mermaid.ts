import { END_INDEX, type Plan, type PlanNode, START_INDEX } from "./plan.js";

/** The text of a Mermaid flowchart: branches are dashed, nested graphs are boxes with nodes of their own. */
export function planToMermaid(plan: Plan): string {
  return ["flowchart TD", ...drawInside(plan, "n", "  ")].join("\n");
}

/** Ids are made of positions, so that no key can break the syntax. */
function drawInside(plan: Plan, prefix: string, indent: string): string[] {
  const nodes = plan.nodes.flatMap((node, index) => drawNode(node, index, `${prefix}${index}`, indent));
  const edges = plan.edges.map(({ from, to }) => `${indent}${prefix}${from} --> ${prefix}${to}`);
  const branches = plan.branches.flatMap(({ from, targets, labels }) =>
    targets.map((target, n) => `${indent}${prefix}${from} -.->${drawLabel(labels?.[n])} ${prefix}${target}`),
  );
  return [...nodes, ...edges, ...branches];
}

function drawLabel(label: string | undefined): string {
  return label === undefined ? "" : `|"${escapeLabel(label)}"|`;
}

function drawNode({ key, name, body }: PlanNode, index: number, id: string, indent: string): string[] {
  if (index === START_INDEX || index === END_INDEX) return [`${indent}${id}(["${key}"])`];
  const label = escapeLabel(name === key ? key : `${key}: ${name}`);
  if (body.kind !== "graph") return [`${indent}${id}["${label}"]`];
  return [`${indent}subgraph ${id}["${label}"]`, ...drawInside(body.plan, `${id}_`, `${indent}  `), `${indent}end`];
}

/** Mermaid reads `#…;` as a character; whatever could be markup, a list at the beginning for one, becomes such. */
function escapeLabel(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,:/()-]|^[-\d]+(?=[. ])[.]?/gu, (found) =>
    Array.from(found, (character) => `#${character.codePointAt(0)};`).join(""),
  );
}
