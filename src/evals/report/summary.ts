import type { CaseResult, Report } from "./report.js";

interface Remarks {
  /** The models without a price, if prices were given. */
  readonly unpriced: string | undefined;
  readonly reused: number;
}

const mostCases = 10;
const fewCases = 20;

/** A report for people, in Markdown. */
export function summaryOf(report: Omit<Report, "summary">, remarks: Remarks): string {
  const { name, results, durationMs } = report;
  const cases = new Set(results.map(({ id }) => id)).size;
  const samples = results.length === cases ? "" : ` (${results.length} samples)`;
  return [
    `# ${inCell(name)}`,
    `${cases} cases${samples} in ${seconds(durationMs)}.`,
    scoreTable(report),
    costLines(report, remarks),
    warnings(report, cases),
    failedCases(results),
    slowestCases(results),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

function scoreTable({ scores }: Omit<Report, "summary">): string {
  const rows = Object.entries(scores).map(([name, score]) => {
    const [low, high] = score.rateInterval;
    const interval = `${percent(low)} – ${percent(high)}`;
    const cells = [
      name,
      percent(score.rate),
      interval,
      score.mean.toFixed(3),
      score.cases,
      score.unscored,
      score.always,
      score.never,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| scorer | rate | 95 % interval | mean | cases | unscored | always | never |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

function costLines(
  { cost, usageByModel: { run, scorers } }: Omit<Report, "summary">,
  { unpriced, reused }: Remarks,
): string {
  const lines: string[] = [];
  const tokens = (usage: Report["usageByModel"]["run"]): number =>
    Object.values(usage).reduce((sum, { totalTokens }) => sum + totalTokens, 0);
  const [used, judged] = [tokens(run), tokens(scorers)];
  if (used + judged > 0) lines.push(`Tokens: ${used} by the runs, ${judged} by the scorers.`);
  if (cost !== undefined) lines.push(`Cost: ${Number(cost.toPrecision(4))}.`);
  if (unpriced !== undefined) lines.push(`No cost: there is no price for ${unpriced}.`);
  if (reused > 0) lines.push(`${reused} calls got an answer of the tape again: their samples are not independent.`);
  return lines.join("\n");
}

function warnings({ usageByModel: { run, scorers } }: Omit<Report, "summary">, cases: number): string {
  const lines: string[] = [];
  const both = Object.keys(scorers).filter((model) => Object.hasOwn(run, model));
  for (const model of both)
    lines.push(`> Warning: ${model} judges answers that it wrote itself. Let another model judge.`);
  if (cases < fewCases)
    lines.push(`> Warning: ${cases} cases are few. Below ${fewCases}, intervals are wide and changes mostly chance.`);
  return lines.join("\n");
}

function failedCases(results: readonly CaseResult[]): string {
  const failed = results.filter(({ scores }) => Object.values(scores).some(({ passed }) => !passed));
  if (failed.length === 0) return "";
  const rows = failed.slice(0, mostCases).map(({ id, sample, scores, error }) => {
    const named = Object.entries(scores).filter(([, { passed }]) => !passed);
    const why = named.map(
      ([name, { score, reason = "" }]) => `${name} ${score ?? "unscored"}${reason === "" ? "" : `: ${reason}`}`,
    );
    return `- **${inCell(id)}**${sample > 1 ? ` (sample ${sample})` : ""}: ${inCell(error ?? why.join("; "))}`;
  });
  const more = failed.length > mostCases ? `\n- … and ${failed.length - mostCases} more` : "";
  return `## Failed\n\n${rows.join("\n")}${more}`;
}

function slowestCases(results: readonly CaseResult[]): string {
  const slow = results.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, 3);
  if (slow.length === 0) return "";
  return `## Slowest\n\n${slow.map(({ id, durationMs }) => `- **${inCell(id)}**: ${seconds(durationMs)}`).join("\n")}`;
}

function inCell(text: string): string {
  const line = text.replace(/\s+/g, " ").replaceAll("|", "\\|");
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`;
