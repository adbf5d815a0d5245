import type { Interrupt } from "./interrupt.js";
import type { RunSnapshot, VisitSnapshot } from "./snapshot.js";

/**
 * Every place of a run that waits, the innermost ones only; what is around them are their parents. Only what is asked has an
 * id to answer under: places around others are named by the run and their address.
 */
export function interruptsOf(run: RunSnapshot, runKey: string, parent?: Interrupt): Interrupt[] {
  const { address } = run;
  const around =
    parent?.address === address ? parent : entry({ id: `${runKey}:${address}`, address, info: undefined }, parent);
  const found: Interrupt[] = [];
  for (const { visit, route } of run.tasks) {
    if (visit !== undefined) found.push(...interruptsAt(visit, runKey, around));
    if (route !== undefined) found.push(...interruptsAt(route, runKey, around));
  }
  const { stop } = run;
  if (stop !== undefined && stop.answer === undefined) {
    const { id, before, after } = stop;
    found.push(entry({ id, address, info: { kind: "before_after", before, after } }, parent));
  }
  return found;
}

/** The same of one place: its own questions, and those inside it. */
export function interruptsAt(visit: VisitSnapshot, runKey: string, parent?: Interrupt): Interrupt[] {
  const open = visit.questions.filter(({ answer }) => answer === undefined);
  const own = open.find(({ kind }) => kind === "interrupt");
  const { id, info } = own ?? { id: `${runKey}:${visit.address}`, info: undefined };
  const around = entry({ id, address: visit.address, info }, parent);
  const inside = visit.calls.flatMap((call) =>
    call.visit === undefined ? [] : interruptsAt(call.visit, runKey, around),
  );
  for (const { run } of visit.inner) if (run !== undefined) inside.push(...interruptsOf(run, runKey, around));
  // an interrupt of a place around others is their parent
  const asked = inside.length === 0 ? open : open.filter(({ kind }) => kind === "ask");
  const direct = asked.map(({ id, address, info, schema }) =>
    entry({ id, address, info, ...(schema === undefined ? {} : { schema }) }, parent),
  );
  return [...direct, ...inside];
}

function entry(own: Omit<Interrupt, "parent">, parent: Interrupt | undefined): Interrupt {
  return parent === undefined ? own : { ...own, parent };
}
