import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Chain, each, traceRecorder } from "kumiko";
import { toSvg } from "kumiko/svg";
import { describe, expect, it } from "vitest";
import { pictures } from "../../scripts/docs/picture-graphs.js";
import { hostileTexts } from "../compose/plan/picture/hostile-texts.js";
import { plain } from "../compose/thrown-by.js";
import { errorOf } from "../run/rejected-by.js";

const same = (text: string): string => text;
const inner = new Chain<string>().append(same, { key: "in" });
const app = new Chain<string>().append(same, { key: "a" }).append(inner, { key: "box" }).compile({ name: "app" });

/** What stands in the text elements of a picture. */
function textsOf(svg: string): string[] {
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
  const texts = [...svg.matchAll(/<text [^>]*>(?:<title>[^<]*<\/title>)?([^<]*)<\/text>/g)].map(
    ([, text = ""]) => text,
  );
  return texts.map((text) =>
    text.replaceAll(/&[^;]*;/g, (found) => entities[found] ?? String.fromCodePoint(Number(found.slice(2, -1)))),
  );
}

describe("toSvg", () => {
  it("draws a compiled graph, or what its graphInfo() gives", async () => {
    const svg = await toSvg(app);
    expect(textsOf(svg).sort()).toEqual(["a", "box", "end", "function", "function", "graph", "in", "start"]);
    expect(await toSvg(JSON.parse(JSON.stringify(app.graphInfo())))).toBe(svg);
    expect(await toSvg(each(same) && new Chain<string[]>().append(each(same), { key: "map" }).compile())).toContain(
      "map",
    );
  });

  it("draws a builder as what it compiles to", async () => {
    const builder = new Chain<string>().append(same, { key: "a" });
    expect(await toSvg(builder)).toBe(await toSvg(builder.compile()));
  });

  it("gives a document that needs nothing else", async () => {
    const svg = await toSvg(app);
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).not.toMatch(/<script|<!|href|url\(|\son\w+=/);
  });

  it("gives the same bytes each time", async () => {
    const [first, second] = await Promise.all([toSvg(app), toSvg(app)]);
    expect(second).toBe(first);
    expect(await toSvg(app, { theme: "light" })).toBe(first);
    expect(await toSvg(app, { theme: "dark" })).not.toBe(first);
  });

  it("shows what happened", async () => {
    const trace = traceRecorder();
    await app.invoke("x", { callbacks: [trace] });
    const svg = await toSvg(app, { trace: trace.toJSON() });
    expect(svg).toContain("#e8f4ec");
    expect(svg).toContain('stroke-width="2.6"');
  });

  it("makes any key harmless text", async () => {
    for (const key of hostileTexts(60)) {
      const svg = await toSvg({ name: key, component: "graph", nodes: [{ key, component: "lambda" }], edges: [] });
      const tags = new Set([...svg.matchAll(/<\/?([^\s/>]*)/g)].map(([, tag]) => tag));
      expect([...tags].filter((tag) => !["svg", "title", "g", "path", "polygon", "text"].includes(tag ?? ""))).toEqual(
        [],
      );
      const shown = key
        .replaceAll(/\p{Surrogate}/gu, "\ufffd")
        .replaceAll(/\r\n?|[\n\u2028\u2029]/g, " ")
        .replaceAll(/\p{Cc}/gu, "\ufffd");
      // what is too long for its card ends in an ellipsis
      const [title = ""] = textsOf(svg).filter((text) => text !== "function");
      expect(title.endsWith("…") ? shown.startsWith(title.slice(0, -1)) : title === shown).toBe(true);
    }
  });

  it("refuses what is no graph, and options that cannot be", async () => {
    expect(await errorOf(toSvg(plain(5)))).toMatchObject({ code: "INVALID_OPTION" });
    expect(await errorOf(toSvg(plain({ nodes: [{}], edges: [{}] })))).toMatchObject({ code: "INVALID_OPTION" });
    for (const options of [{ theme: "red" }, { themes: "dark" }, { trace: 5 }, null, 5]) {
      expect(await errorOf(toSvg(app, plain(options)))).toMatchObject({ code: "INVALID_OPTION" });
    }
  });
});

describe("The pictures of the documentation", () => {
  const folder = join(import.meta.dirname, "../../docs/guides/pictures");

  it("are all there, and no others", () => {
    // of exported spans, another script draws a picture
    const drawn = readdirSync(folder).filter((name) => name.endsWith(".svg") && name !== "exported-spans.svg");
    expect(drawn.sort()).toEqual(
      Object.keys(pictures)
        .map((name) => `${name}.svg`)
        .sort(),
    );
  });

  it.each(Object.entries(pictures))(
    "%s is drawn anew as it stands there (else: npm run pictures)",
    async (name, draw) => {
      expect(readFileSync(join(folder, `${name}.svg`), "utf8")).toBe(await draw());
    },
  );
});
