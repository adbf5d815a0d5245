import { afterAll, beforeAll, describe } from "vitest";
import { type PostgresServer, startServer, whyNot } from "../stores/postgres/server.js";
import { type Address, type Backend, connect } from "./connect.js";
import { type RedisServer, startRedis, whyNoRedis } from "./redis-server.js";

/** Runs tests with each backend that can be had here; the others are skipped, and the name says why. */
export function describeBackends(name: string, tests: (backend: () => Backend) => void): void {
  describeOne(`${name} on Redis`, whyNoRedis(), startRedis, ({ port }: RedisServer) => ({ redis: port }), tests);
  describeOne(
    `${name} on PostgreSQL`,
    whyNot(),
    startServer,
    (server: PostgresServer) => ({ postgres: server.url() }),
    tests,
  );
}

function describeOne<Server extends { stop(): Promise<void> }>(
  name: string,
  missing: string | undefined,
  start: () => Promise<Server>,
  addressOf: (server: Server) => Address,
  tests: (backend: () => Backend) => void,
): void {
  if (missing !== undefined) {
    describe.skip(`${name} (skipped: ${missing})`, () => tests(() => connect({ redis: 0 })));
    return;
  }
  describe(name, () => {
    let server: Server;
    let backend: Backend;
    beforeAll(async () => {
      server = await start();
      backend = connect(addressOf(server));
    });
    afterAll(() => server?.stop());
    tests(() => backend);
  });
}
