import { countLines } from "../../tools/count-lines.js";
import { listFiles } from "../../tools/list-files.js";
import { saveReport } from "../../tools/save-report.js";
import { ask, askForText, type Plan, together } from "../plan.js";
import type { Skill } from "../skill.js";
import { bullets, bytesText, count } from "../wording.js";

export const reports: Skill = {
  example: "Save a report about this folder.",
  understand: ({ text }) => (/\b(?:save|write)\b.*\breport\b/i.test(text) ? report() : undefined),
};

export const surveys: Skill = {
  example: "Ask the surveyor for the numbers of files and lines.",
  understand: ({ text }) => (/\bsurveyor\b/i.test(text) ? survey() : undefined),
};

function* report(): Plan {
  const [lines, files] = yield* together([
    ask(countLines, {}, "Let me look at it first."),
    ask(listFiles, { sortBy: "size", limit: 3 }),
  ]);
  if (!lines.ok || !files.ok) return "I could not look into the folder, so there is no report.";
  const points = [
    `${count(lines.value.files, "text file")} with ${count(lines.value.lines, "line")}`,
    ...files.value.files.map(({ path, bytes }) => `${path}: ${bytesText(bytes)}`),
  ];
  const input = { title: "This folder", text: bullets(points) };
  const saved = yield* askForText(saveReport.id, input, "That is enough for a report.");
  return saved.ok ? `The report is there. ${saved.value}` : `There is no report. ${saved.reason}`;
}

/** The answer is a value as JSON: whoever asks wants one. */
function* survey(): Plan {
  const prompt = "How many lines are there? Which file is largest?";
  const told = yield* askForText("surveyor", { prompt }, "The surveyor knows that.");
  if (!told.ok) return `The surveyor could not tell. ${told.reason}`;
  const [, files = "0", lines = "0"] = /([\d,]+) text files? with ([\d,]+) lines?/.exec(told.value) ?? [];
  const [, largest = ""] = /1\. (.+): /.exec(told.value) ?? [];
  return JSON.stringify({ files: numberOf(files), lines: numberOf(lines), largest });
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(",", ""));
}
