// Draws a CPU profile as a flame graph: what calls what from top to bottom, time as width.
//
//   node --cpu-prof --cpu-prof-name=run.cpuprofile my-program.mjs
//   node scripts/flame-graph.mjs run.cpuprofile run.svg "What was run" [runs] [full width in µs per run]
//
// With the number of runs, widths are times per run, so that two graphs can be compared that have the same full width.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @typedef {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number }, children?: number[] }} ProfileNode */
/** @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[] }} Profile */
/** @typedef {{ name: string, kind: Kind, micros: number, children: Map<string, Frame> }} Frame */
/** @typedef {"program" | "engine" | "collector"} Kind */
/** @typedef {{ title: string, runs?: number | undefined, fullWidth?: number | undefined }} Options */

const WIDTH = 1200;
const ROW = 20;
const TOP = 56;
/** Narrower frames are left out: nobody could read them. */
const NARROWEST = 1.5;
/** What of the program's start and of the profiler is seen. */
const unseen = new Set(["(idle)", "(root)"]);

/** @type {Readonly<Record<Kind, string>>} */
const colors = { program: "#f6b26b", engine: "#c9d6e3", collector: "#b7d7a8" };

/**
 * The profile as an SVG.
 *
 * @param {Profile} profile
 * @param {Options} options
 */
export function flameGraph(profile, options) {
  const root = readFrames(profile);
  const { runs = 1 } = options;
  const perRun = root.micros / runs;
  const scale = WIDTH / ((options.fullWidth ?? perRun) * runs);
  /** @type {string[]} */
  const shapes = [];
  const depth = draw(root.children, 0, 0, { scale, total: root.micros, shapes });
  const height = TOP + depth * ROW + 8;
  const subtitle =
    options.runs === undefined ? `${(root.micros / 1e6).toFixed(1)} s of CPU` : `${perRun.toFixed(2)} µs per run`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">
<title>${xmlText(options.title)}</title>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<text x="8" y="22" font-size="16" font-weight="600">${xmlText(options.title)}</text>
<text x="8" y="42" fill="#555555">${subtitle}; orange: JavaScript, blue: promises and other parts of the engine, green: garbage collection</text>
${shapes.join("\n")}
</svg>
`;
}

/**
 * The frames of a profile with their times, functions of one name in one caller as one.
 *
 * @param {Profile} profile
 * @returns {Frame}
 */
function readFrames({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<number, number>} */
  const own = new Map();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const top = frame("", "program");
  const [first] = nodes;
  if (first !== undefined) add(first, top);
  return top;

  /**
   * @param {ProfileNode} node
   * @param {Frame} into
   * @returns {number}
   */
  function add(node, into) {
    const { functionName, url } = node.callFrame;
    // the start of the program, and functions without a name, are part of what called them
    const isSeen = functionName !== "" && !unseen.has(functionName) && !url.startsWith("node:");
    const target = isSeen ? childOf(into, functionName) : into;
    let micros = functionName === "(idle)" || url.startsWith("node:") ? 0 : (own.get(node.id) ?? 0);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) micros += add(child, target);
    }
    if (isSeen) target.micros += micros;
    if (into === top && node === first) top.micros = micros;
    return micros;
  }
}

/**
 * @param {Frame} parent
 * @param {string} functionName
 */
function childOf(parent, functionName) {
  const name = functionName === "(program)" ? "promises, engine" : functionName.replace(/[()]/g, "");
  const known = parent.children.get(name);
  if (known !== undefined) return known;
  const kinds = { "(program)": "engine", "(garbage collector)": "collector" };
  const made = frame(
    name,
    /** @type {Kind} */ (Object.entries(kinds).find(([n]) => n === functionName)?.[1] ?? "program"),
  );
  parent.children.set(name, made);
  return made;
}

/**
 * @param {string} name
 * @param {Kind} kind
 * @returns {Frame}
 */
function frame(name, kind) {
  return { name, kind, micros: 0, children: new Map() };
}

/**
 * Draws frames beside each other, the widest first, and what they call below them. Gives how many rows there are.
 *
 * @param {ReadonlyMap<string, Frame>} frames
 * @param {number} left
 * @param {number} row
 * @param {{ scale: number, total: number, shapes: string[] }} canvas
 * @returns {number}
 */
function draw(frames, left, row, canvas) {
  let x = left;
  let rows = row;
  for (const { name, kind, micros, children } of [...frames.values()].sort((a, b) => b.micros - a.micros)) {
    const width = micros * canvas.scale;
    if (width < NARROWEST) continue;
    const y = TOP + row * ROW;
    const share = ((100 * micros) / canvas.total).toFixed(1);
    const label = width > 7 * name.length + 6 ? name : width > 40 ? `${name.slice(0, Math.floor(width / 7) - 2)}…` : "";
    const text = label === "" ? "" : `<text x="${(x + 3).toFixed(1)}" y="${y + 14}">${xmlText(label)}</text>`;
    canvas.shapes.push(
      `<g><title>${xmlText(name)}: ${share} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colors[kind]}"/>${text}</g>`,
    );
    rows = Math.max(rows, row + 1, draw(children, x, row + 1, canvas));
    x += width;
  }
  return rows;
}

/** @param {string} text */
function xmlText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to, title = "", runs, fullWidth] = process.argv.slice(2);
  if (from === undefined || to === undefined)
    throw new Error("flame-graph.mjs needs a .cpuprofile and a name for the SVG.");
  const options = { title, runs: runs && Number(runs), fullWidth: fullWidth && Number(fullWidth) };
  writeFileSync(to, flameGraph(JSON.parse(readFileSync(from, "utf8")), /** @type {Options} */ (options)));
}
