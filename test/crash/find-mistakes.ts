import { type LogLine, nameOf } from "./effects-log.js";
import { expectedEffects } from "./expected-order.js";

/**
 * What the record of one run shows that must not be. `cutOff` are the processes that were killed, or from which the run was
 * taken away.
 */
export function findMistakes(log: readonly LogLine[], cutOff: ReadonlySet<number>): string[] {
  return [
    ...findBadRepeats(log, cutOff),
    ...findForgotten(log),
    ...findEarlySuccessors(log),
    ...findBadKeys(log),
    ...findStrayEffects(log),
  ];
}

/** What a run that has come to its end has not done. */
export function findMissing(log: readonly LogLine[]): string[] {
  const ended = new Set(log.filter(({ kind }) => kind === "end").map(nameOf));
  return [...expectedEffects().keys()].filter((name) => !ended.has(name)).map((name) => `${name} was not done`);
}

/** An effect happens once in a process, and again in a later one only when the first was cut off. */
function* findBadRepeats(log: readonly LogLine[], cutOff: ReadonlySet<number>): Iterable<string> {
  const begun = new Map<string, Set<number>>();
  for (const line of log) {
    if (line.kind !== "begin") continue;
    const lives = begun.get(nameOf(line)) ?? new Set();
    begun.set(nameOf(line), lives);
    if (lives.has(line.life)) yield `${nameOf(line)} happened twice in process ${line.life}`;
    lives.add(line.life);
  }
  for (const [name, lives] of begun) {
    const last = Math.max(...lives);
    for (const life of lives) {
      if (life < last && !cutOff.has(life)) yield `${name} was repeated, and process ${life} ended by itself`;
    }
  }
}

/**
 * What was done when a save began, and the save was acknowledged, does not happen again: not in this process, nor in a later
 * one. (An earlier one, from which the run was taken away, may not have heard of that yet.)
 */
function* findForgotten(log: readonly LogLine[]): Iterable<string> {
  for (const [position, line] of log.entries()) {
    if (line.kind !== "end") continue;
    const saved = positionOfSave(log, position, line);
    const again = log.findIndex(
      (other, at) => at > saved && other.kind === "begin" && nameOf(other) === nameOf(line) && other.life >= line.life,
    );
    if (again !== -1) {
      yield `${nameOf(line)} of process ${line.life} was saved (line ${saved}) and happened again (line ${again})`;
    }
  }
}

/** Where the first save is acknowledged that began when all was settled that followed from a line. */
function positionOfSave(log: readonly LogLine[], position: number, { life, turn }: LogLine): number {
  const own = (line: LogLine, at: number, after: number) => at > after && line.life === life;
  const begun = log.findIndex((line, at) => own(line, at, position) && line.kind === "put" && line.turn > turn);
  if (begun === -1) return log.length;
  const settled = log.findIndex(
    (line, at) => own(line, at, begun) && (line.kind === "kept" || line.kind === "refused"),
  );
  return log[settled]?.kind === "kept" ? settled : log.length;
}

/** An effect begins when those before it are done, and for good. */
function* findEarlySuccessors(log: readonly LogLine[]): Iterable<string> {
  const effects = expectedEffects();
  const ended = new Set<string>();
  /** In which process something began that follows it. */
  const overtaken = new Map<string, number>();
  for (const line of log) {
    const name = nameOf(line);
    if (line.kind === "end") ended.add(name);
    if (line.kind !== "begin") continue;
    if (line.life >= (overtaken.get(name) ?? Infinity)) yield `${name} happened again after what follows it had begun`;
    for (const before of effects.get(name) ?? []) {
      if (!ended.has(before)) yield `${name} began before ${before} had ended`;
      overtaken.set(before, Math.min(line.life, overtaken.get(before) ?? Infinity));
    }
  }
}

/** A task has one key in all processes, and no other task has it. */
function* findBadKeys(log: readonly LogLine[]): Iterable<string> {
  const keys = new Map<string, string>();
  const tasks = new Map<string, string>();
  for (const { task, taskKey } of log) {
    if (task === "") continue;
    if ((keys.get(task) ?? taskKey) !== taskKey) yield `${task} has the keys ${keys.get(task)} and ${taskKey}`;
    if ((tasks.get(taskKey) ?? task) !== task) yield `${task} has the key of ${tasks.get(taskKey)}: ${taskKey}`;
    keys.set(task, taskKey);
    tasks.set(taskKey, task);
  }
}

/**
 * Only what the graph does, and nothing new of a process that has heard that the run is not its own any more. (It hears of
 * that a few promises after the store has answered: what was ready in the same turn may begin before.)
 */
function* findStrayEffects(log: readonly LogLine[]): Iterable<string> {
  const effects = expectedEffects();
  const owners = new Set<number>();
  /** In which turn of which process. */
  const refused = new Map<number, number>();
  for (const line of log) {
    if (line.kind === "kept") owners.add(line.life);
    // a refused claim is no loss: whoever takes a run over may have to try more than once
    if (line.kind === "refused" && owners.has(line.life) && !refused.has(line.life)) refused.set(line.life, line.turn);
    if (line.kind !== "begin") continue;
    if (!effects.has(nameOf(line))) yield `${nameOf(line)} is no effect of the graph`;
    if (line.turn > (refused.get(line.life) ?? Infinity))
      yield `${nameOf(line)} began in process ${line.life}, which had lost the run`;
  }
}
