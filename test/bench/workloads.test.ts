import { describe, expect, it } from "vitest";
import { kumiko } from "../../bench/contenders/kumiko.js";
import { checkResult } from "../../bench/measure/workload.js";
import { contendersOf, workloads } from "../../bench/workloads.js";

describe.each(workloads)("the workload $id", (workload) => {
  it.each(contendersOf(workload))("gets the right result from $name", async (contender) => {
    const work = workload.work(contender);
    if (work === undefined) throw new Error(`${contender.name} cannot do it.`);
    await checkResult(workload, contender.name, work);
  });

  it("finds out a wrong result", async () => {
    await expect(checkResult(workload, "broken", () => undefined)).rejects.toThrow("broken gives");
  });

  it("is done by this library", () => expect(workload.work(kumiko)).toBeDefined());
});
