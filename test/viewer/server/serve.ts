import { type ViewerOptions, viewer } from "kumiko/viewer";
import { onTestFinished } from "vitest";

/** A viewer until the test is over, and how its data is asked for. */
export function serve(options: Partial<ViewerOptions> = {}) {
  const shown = viewer({ authorize: () => ({ can: "act" }), ...options });
  onTestFinished(() => shown.close());
  const fetch = (path: string, init: RequestInit = {}) => shown.fetch(new Request(`http://x/api/${path}`, init));
  const get = async <T>(path: string): Promise<T> => (await fetch(path)).json() as Promise<T>;
  const post = (path: string, body: object) =>
    fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: String(Math.random()), ...body }),
    });
  return { shown, fetch, get, post };
}
