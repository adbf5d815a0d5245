import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isStopInfo } from "../../checkpoint/pause/stop-info.js";
import { jsonSchemaValidator } from "../../schema/json-schema-validator.js";
import type { Failure } from "../api.js";
import type { Access, GivenAnswer, ViewerOptions } from "../viewer-options.js";
import { Refusal } from "./http.js";
import type { ReadRun } from "./stored-runs.js";

type Fields = NonNullable<Failure["error"]["fields"]>;

/** Throws unless every answer is to an open question and fits it. */
export async function checkAnswers(
  { questions, row, document }: ReadRun,
  answers: Readonly<Record<string, unknown>>,
): Promise<void> {
  const fields: Fields[number][] = [];
  if (Object.keys(answers).length === 0) throw new Refusal(400, "INVALID_REQUEST", "There is no answer.");
  for (const [id, answer] of Object.entries(answers)) {
    const question = questions.find((one) => one.id === id);
    if (question === undefined) throw notOpen(id, row.status, document);
    fields.push(...(await problemsOf(question, answer)));
  }
  if (fields.length > 0) throw new Refusal(400, "ANSWER_MISMATCH", "The answer does not fit.", fields);
}

function notOpen(id: string, status: string, { answers = {}, answered }: ReadRun["document"]): Refusal {
  return Object.hasOwn(answers, id) || answered.includes(id)
    ? new Refusal(409, "ALREADY_ANSWERED", "Somebody has answered the question already.")
    : new Refusal(409, "UNKNOWN_INTERRUPT", `The question is not open any more: the run is ${status}.`);
}

async function problemsOf({ id, info, schema }: Interrupt, answer: unknown): Promise<Fields> {
  if (isStopInfo(info))
    return answer === null ? [] : [{ question: id, path: [], message: "A stop is answered with null: it goes on." }];
  if (schema === undefined) return [];
  let check: Awaited<ReturnType<typeof jsonSchemaValidator.compile>>;
  try {
    check = await jsonSchemaValidator.compile(schema);
  } catch {
    // the run checks it with the schema that it has
    return [];
  }
  return (check(answer) ?? []).map(({ message, path = [] }) => ({
    question: id,
    path: path.map((part) => {
      const key = typeof part === "object" ? part.key : part;
      return typeof key === "number" ? key : String(key);
    }),
    message,
  }));
}

/** Asks the option `onAnswer` about each answer. A string refuses; of an error nothing is said. */
export async function announceAnswers(
  { onAnswer }: Pick<ViewerOptions, "onAnswer">,
  { row, app }: ReadRun,
  answers: Readonly<Record<string, unknown>>,
  { user }: Access,
): Promise<void> {
  if (onAnswer === undefined) return;
  for (const [interrupt, answer] of Object.entries(answers)) {
    const given = { app: app?.row.key, checkpointId: row.id, interrupt, answer, user, at: Date.now() };
    const refused = await asked(onAnswer, given);
    if (typeof refused === "string") throw new Refusal(409, "REFUSED", refused);
  }
}

/** An error of the option may say what nobody should read, whatever its class. */
async function asked(onAnswer: NonNullable<ViewerOptions["onAnswer"]>, given: GivenAnswer): Promise<unknown> {
  try {
    return await onAnswer(given);
  } catch {
    throw new Refusal(500, "FAILED", "The answer was not recorded, because it could not be checked.");
  }
}
