import { loadPageAssets, type PageAssets } from "../page-assets.js";
import { pageHtml } from "../page-html.js";
import { Refusal, respond } from "./http.js";

const types: Readonly<Record<string, readonly [keyof PageAssets, string]>> = {
  "assets/page.js": ["page", "text/javascript; charset=utf-8"],
  "assets/player.js": ["player", "text/javascript; charset=utf-8"],
  "assets/page.css": ["style", "text/css; charset=utf-8"],
};

/** The page and its assets, which hold no data. */
export class PageFiles {
  readonly #base: string;
  #assets: Promise<PageAssets> | undefined;

  constructor(base: string) {
    this.#base = base;
  }

  /** `path` is below the base. Throws for what is no file of the page. */
  async get(path: string): Promise<Response> {
    if (path === "" || path === "index.html") return respond(pageHtml(this.#base), "text/html; charset=utf-8");
    const found = Object.hasOwn(types, path) ? types[path] : undefined;
    if (found === undefined) throw notFound();
    this.#assets ??= loadPageAssets();
    return respond((await this.#assets)[found[0]], found[1], 200, "no-cache");
  }
}

export const notFound = (): Refusal => new Refusal(404, "NOT_FOUND", "There is nothing here.");
