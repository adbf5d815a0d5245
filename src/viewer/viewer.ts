import type { Handler } from "../callbacks/handler.js";
import { ViewerServer } from "./server/viewer-server.js";
import { checkViewerOptions, type Viewer, type ViewerOptions } from "./viewer-options.js";

/**
 * The viewer in a server of yours, behind your sign-in: an inbox of questions, and every run with its graph, its conversation and
 * its timeline. `fetch` takes a web-standard request and gives a response.
 *
 * @example
 * const app = new Chain<string>().append((text) => text.trim()).compile({ name: "trim", store: memoryStore() });
 * const inbox = viewer({ apps: { app }, basePath: "/ops", authorize: () => ({ can: "answer", user: "ada" }) });
 * const response = await inbox.fetch(new Request("http://localhost/ops/"));
 */
export function viewer(options: ViewerOptions): Viewer {
  checkViewerOptions(options);
  const server = new ViewerServer(options);
  const handler: Handler = server.handler;
  return { fetch: (request) => server.fetch(request), handler, close: () => server.close() };
}
