/** Generated workflows, for what they cost the compiler. */

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const head = `import { START, Workflow, from, value } from "kumiko";
export interface Item { readonly id: string; readonly score: number; readonly next: { readonly name: string } }
export interface Ask { readonly a: string; readonly b: number; readonly c: string }
declare const item: Item;
`;

/** Above these imports. */
export const workflowImports = `${head}export const used = [START, Workflow, from, value, item];\n`;

/** So many nodes, each with three mappings; the types of their inputs have a name, or stand where they are used. */
export function workflow(count: number, isNamed: boolean): string {
  const typeOf = (index: number): string => (isNamed ? "Ask" : `{ a: string; b: number; c${index}: string }`);
  const nodes = range(count).map((index) => {
    const source = (back: number): string => (index - back < 0 ? "START" : `"n${index - back}"`);
    const last = isNamed ? "c" : `c${index}`;
    const made = isNamed ? "item" : `({ ...item, own${index}: given.a })`;
    return `  .addNode("n${index}", (given: ${typeOf(index)}) => ${made}, {
    input: { a: from(${source(1)}, "id"), b: from(${source(2)}, "score"), ${last}: from(${source(3)}, "next.name") },
  })\n`;
  });
  return `${head}export const compiled = new Workflow<Item, { name: string }>()\n${nodes.join("")}  .end({ name: from("n${count - 1}", "next.name") })
  .compile();\n`;
}
