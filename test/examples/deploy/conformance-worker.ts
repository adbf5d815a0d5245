// Runs the checks for stores inside of a Durable Object, because there its database is.
import { checkpointStoreConformance } from "kumiko/testing";
import { objectStore, type SqlStorage } from "../../../examples/deploy/workers/object-store.js";

export * from "../../../examples/deploy/workers/worker.js";
export { default } from "../../../examples/deploy/workers/worker.js";

export class Checks {
  readonly #sql: SqlStorage;

  constructor({ storage }: { readonly storage: { readonly sql: SqlStorage } }) {
    this.#sql = storage.sql;
  }

  async fetch(): Promise<Response> {
    const failures: string[] = [];
    const checks = checkpointStoreConformance(() => objectStore(this.#sql));
    for (const { name, run } of checks) await run().catch((error) => failures.push(`${name}: ${error.message}`));
    return Response.json({ count: checks.length, failures });
  }
}

export const checks = {
  fetch: (request: Request, { CHECKS }: { CHECKS: { idFromName(name: string): unknown; get(id: unknown): Checks } }) =>
    (CHECKS.get(CHECKS.idFromName("all")) as unknown as { fetch(request: Request): Promise<Response> }).fetch(request),
};
