import { type ConformanceCheck, expectSame, expectThat, soon } from "../conformance.js";
import { appendOf } from "./append-stage.js";
import { checkpointBytes, openToClose } from "./crash-checks.js";
import { bytes, expectBytes, expectText, type StoreChecks, type StoreStage, stored } from "./store-stage.js";

const appends = 16;

/** Checks that close a handle during appends. Stores without `append`, or that cannot be closed, pass them. */
export const appendCrashChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("keeps every acknowledged append when the handle is closed during others", async (stage) => {
    for (let acknowledged = 0; acknowledged < appends; acknowledged += 5) {
      for (const { id, version, index } of await closeAmidAppends(stage, `${acknowledged}/`, acknowledged)) {
        if (version === undefined) continue;
        const found = await stored(stage.other, id);
        expectSame(found.version, version, `The version of ${JSON.stringify(id)}, which was acknowledged`);
        expectSame(found.appended?.length, 2, `The number of entries under ${JSON.stringify(id)}`);
        expectBytes(found.appended?.[1], checkpointBytes(index), `What was acknowledged for ${JSON.stringify(id)}`);
      }
    }
  }),
  check("appends an entry entirely or not at all when the handle is closed during the append", async (stage) => {
    for (let acknowledged = 0; acknowledged < appends; acknowledged += 5) {
      for (const { id, index, before } of await closeAmidAppends(stage, `${acknowledged}/`, acknowledged)) {
        const { appended = [], version } = await stored(stage.other, id);
        await expectText(stage.other, id, "base");
        expectBytes(appended[0], bytes("before"), `The entry of ${JSON.stringify(id)} from before`);
        const isThere = appended.length > 1;
        if (isThere)
          expectBytes(appended[1], checkpointBytes(index), `The entry that was appended to ${JSON.stringify(id)}`);
        expectThat(
          appended.length <= 2,
          `There are ${appended.length} entries under ${JSON.stringify(id)}, not one or two.`,
        );
        expectSame(version !== before, isThere, `Whether ${JSON.stringify(id)} has a new version, and its entry`);
      }
    }
  }),
];

interface Outcome {
  readonly id: string;
  readonly index: number;
  /** The version before the append. */
  readonly before: number;
  /** The version that the append returned, if it was acknowledged. */
  readonly version: number | undefined;
}

/** Starts appends through a new handle, and closes it when `acknowledged` of them have succeeded. */
async function closeAmidAppends(stage: StoreStage, start: string, acknowledged: number): Promise<Outcome[]> {
  const handle = await openToClose(stage);
  if (handle === undefined) return [];
  const [append, before] = [appendOf(handle), appendOf(stage.store)];
  if (append === undefined || before === undefined) return [];
  const rows = await Promise.all(
    Array.from({ length: appends }, async (_, index) => {
      const id = stage.id(start + index);
      const version = await stage.store.put(id, bytes("base"), undefined);
      return { id, index, before: await before(id, bytes("before"), version) };
    }),
  );
  const versions = rows.map((row) => append(row.id, checkpointBytes(row.index), row.before).catch(() => undefined));
  await Promise.all(versions.slice(0, acknowledged));
  await handle.close();
  const settled = await soon(Promise.all(versions), "An append through a handle that was closed");
  return rows.map((row, index) => ({ ...row, version: settled[index] }));
}
