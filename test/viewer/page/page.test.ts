// The page of the viewer in a real browser, by mouse and by keys.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadPageAssets } from "../../../src/viewer/page-assets.js";
import { savedPage } from "../../../src/viewer/saved-page.js";
import { browserPath, missing, usePage } from "./open-page.js";
import { recordedData } from "./recorded-server.js";

const { open, openFile } = usePage();

describe.runIf(browserPath !== undefined)(`the inbox${missing}`, () => {
  it("sends an approval without arguments where nothing was changed, with Ctrl Enter", async () => {
    const { page, server } = await open("#/inbox");
    await page.getByLabel("amount").fill("12000");
    await page.getByRole("button", { name: "undo" }).click();
    await page.getByLabel("amount").press("Control+Enter");
    await expect.poll(() => server.posts).toHaveLength(1);
    expect(server.posts[0]).toMatchObject({ path: "answer", body: { ref: "refund-desk-waiting" } });
    expect(Object.values(bodyOf(server.posts[0]).answers)).toEqual([{ approved: true }]);
  });

  it("sends changed arguments whole, with numbers as numbers", async () => {
    const { page, server } = await open("#/inbox");
    await page.getByLabel("amount").fill("12000");
    await page.getByRole("button", { name: "Approve with changes" }).click();
    await expect.poll(() => server.posts).toHaveLength(1);
    const [answer] = Object.values(bodyOf(server.posts[0]).answers);
    expect(answer).toEqual({
      approved: true,
      arguments: {
        invoiceId: "inv_20931",
        amount: 12_000,
        currency: "JPY",
        reason: "Panel cracked on arrival, 32 days after delivery",
        notify: true,
      },
    });
  });

  it("says at the field what does not fit, and sends nothing", async () => {
    const { page, server } = await open("#/inbox");
    await page.getByLabel("amount").fill("9007199254740993");
    await page.getByRole("button", { name: "Approve with changes" }).click();
    expect(await page.getByRole("alert").textContent()).toBe("This number is too large to be sent exactly.");
    await page.getByLabel("amount").fill("600000");
    expect(await page.getByRole("alert").textContent()).toBe("At most 500,000.");
    expect(server.posts).toEqual([]);
  });

  it("declines with a reason, which is what the very next key writes", async () => {
    const { page, server } = await open("#/inbox");
    await page.getByRole("button", { name: "Decline…" }).waitFor();
    const focused = await page.evaluate(async () => {
      const buttons = [...document.querySelectorAll("button")];
      buttons.find(({ textContent }) => textContent === "Decline…")?.click();
      for (let n = 0; n < 5; n++) await undefined;
      return document.activeElement?.id;
    });
    expect(focused).toBe("reason");
    await page.keyboard.type("Too much");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => server.posts).toHaveLength(1);
    expect(Object.values(bodyOf(server.posts[0]).answers)).toEqual([{ approved: false, reason: "Too much" }]);
  });

  it("leaves out what is optional and empty, and shows what the server refuses at its field", async () => {
    const { page, server } = await open("#/inbox");
    await page.waitForSelector(".q");
    await page.keyboard.press("j");
    await page.getByRole("radio", { name: "hand over" }).check();
    const fields = [{ question: "x", path: ["note"], message: "Say why." }];
    server.answers.set("answer", { status: 400, body: { error: { code: "ANSWER_MISMATCH", message: "No.", fields } } });
    await page.getByRole("button", { name: "Answer" }).click();
    await expect.poll(() => page.locator(".field .err").allTextContents()).toEqual(["Say why."]);
    expect(Object.values(bodyOf(server.posts[0]).answers)).toEqual([{ decision: "hand_over" }]);
  });

  it("continues a stop with null, and sends a text as it is", async () => {
    const { page, server } = await open("#/inbox/text");
    await page.getByLabel("Answer").fill("Yes, on Monday");
    await page.getByRole("button", { name: "Answer" }).click();
    await expect.poll(() => server.posts).toHaveLength(1);
    await page.goto(`${server.url}#/inbox/stop`);
    await page.locator(".btn.primary", { hasText: "Continue" }).click();
    await expect.poll(() => server.posts).toHaveLength(2);
    expect(server.posts.map((post) => bodyOf(post).answers)).toEqual([{ text: "Yes, on Monday" }, { stop: null }]);
  });

  it("moves through the list with J and K, and shows no form to who may only look", async () => {
    const { page } = await open("#/inbox", { data: { can: "look" } });
    await page.waitForSelector(".q");
    await page.keyboard.press("j");
    await expect.poll(() => page.locator("h2.question").textContent()).toBe("Close ticket T-1041?");
    expect(await page.locator("form").count()).toBe(0);
    await page.keyboard.press("k");
    await expect.poll(() => page.locator("h2.question").textContent()).toBe("May issue_refund run?");
  });
});

describe.runIf(browserPath !== undefined)(`a run${missing}`, () => {
  it("moves graph, conversation and state together", async () => {
    const { page } = await open("#/runs/run_7f3a91");
    const time = page.getByRole("slider", { name: "Time in the run" });
    await time.press("Home");
    for (let step = 0; step < 6; step++) await time.press("ArrowRight");
    await expect.poll(() => page.locator(".ctl .where").textContent()).toMatch(/^Save 6 of 28/);
    expect(await page.locator(".node.st-idle .name").allTextContents()).toContain("ledger");
    expect(await page.locator(".talk").textContent()).not.toContain("Done. ¥18,400");
    await page.getByRole("tab", { name: "State" }).click();
    await expect.poll(() => page.locator(".json").first().textContent()).toContain("intake: damaged on arrival");
    await page.getByRole("button", { name: "Back to the end" }).click();
    await expect.poll(() => page.locator(".json").first().textContent()).toContain("signed off: close");
  });

  it("shows text as far as it had arrived", async () => {
    const { page } = await open("#/runs/run_7f3a91");
    const box = await page.locator(".axis").boundingBox();
    const [zero, two] = await Promise.all(
      ["0 s", "2 s"].map((text) => page.getByText(text, { exact: true }).boundingBox()),
    );
    const scale = ((two?.x ?? 0) - (zero?.x ?? 0)) / 2_000;
    // in the middle of the third answer of the agent
    const { segments, spans } = recordedData().view;
    const third = spans.filter(({ path, name }) => path === "investigate/model" && name !== "attempt")[2];
    const at =
      (third?.startedAt ?? 0) - (segments[0]?.startedAt ?? 0) + ((third?.endedAt ?? 0) - (third?.startedAt ?? 0)) * 0.8;
    await page.mouse.click((zero?.x ?? 0) - 4 + at * scale, (box?.y ?? 0) + 8);
    const answers = page.locator(".msg.ai p");
    const text = await answers.last().textContent();
    expect(text).toMatch(/^The policy allows/);
    expect(
      "The policy allows a full refund within 45 days when the carrier confirms the damage. I will refund the panel and leave the shipping fee. ",
    ).toContain(text?.trim());
    expect(text?.length).toBeLessThan(120);
  });

  it("leads through the graph with arrows, and opens a node with Enter", async () => {
    const { page } = await open("#/runs/run_7f3a91");
    await page.locator("[data-path=intake]").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-path"))).toBe("classify");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".insp-title strong").textContent()).toBe("classify");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".node.sel").count()).toBe(0);
  });

  it("answers in the conversation", async () => {
    const { page, server } = await open("#/runs/refund-desk-waiting");
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => server.posts).toHaveLength(1);
    expect(Object.values(bodyOf(server.posts[0]).answers)).toEqual([{ approved: true }]);
  });

  it("forks with what was changed only", async () => {
    const { page, server } = await open("#/runs/run_7f3a91");
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByLabel("State").fill('{ "ticket": "T-2" }');
    await page.getByRole("button", { name: "Fork and go on" }).click();
    await expect.poll(() => server.posts).toHaveLength(1);
    expect(server.posts[0]).toMatchObject({ path: "fork", body: { entry: "28", states: { "": { ticket: "T-2" } } } });
    expect(server.posts[0]?.body).not.toHaveProperty("outputs");
  });
});

describe.runIf(browserPath !== undefined)(`what is hostile${missing}`, () => {
  it("is shown as text: markup, links that run code, controls of direction, names of prototypes", async () => {
    const { view } = recordedData();
    const evil = {
      html: "</script><img src=x onerror=window.pwned=1>",
      link: "javascript:window.pwned=2",
      name: "\u202egnp.exe",
      big: "x".repeat(2_000_000),
    };
    const input = {
      value: JSON.parse(`{"__proto__":{"polluted":true},"rest":${JSON.stringify(evil)}}`),
      size: 2_000_000,
    };
    const app = "<img src=x onerror=window.pwned=3>\u202e";
    const spans = view.spans.map((span) => (span.path === "intake" ? { ...span, input } : span));
    const views = { evil: { ...view, run: { ...view.run, app, ref: "evil" }, spans } };
    const { page, faults } = await open("#/runs/evil", { data: { views } });
    await page.locator("[data-path=intake]").click();
    await expect.poll(() => page.locator(".json").first().textContent()).toContain("U+202Egnp.exe");
    expect(await page.locator("h1").textContent()).toBe("<img src=x onerror=window.pwned=3>U+202E");
    expect(await page.locator(".json").first().textContent()).toContain("polluted: true");
    expect(await page.locator("a[href^=javascript]").count()).toBe(0);
    expect(await page.evaluate(() => [Reflect.get(window, "pwned"), Reflect.get({}, "polluted")])).toEqual([
      undefined,
      undefined,
    ]);
    expect(faults).toEqual([]);
  });
});

describe.runIf(browserPath !== undefined)(`a saved page${missing}`, () => {
  it("shows the run from a file, without a request, and is small", async () => {
    const { view } = recordedData();
    const assets = await loadPageAssets();
    const html = await savedPage(
      { view, savedAt: Date.UTC(2026, 10, 27) },
      { player: assets.player, style: assets.style },
    );
    const folder = mkdtempSync(join(tmpdir(), "kumiko-saved-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "run.html");
    writeFileSync(file, html);
    const { page, faults } = await openFile(file);
    await page.waitForSelector(".canvas .node");
    expect(await page.locator(".head").textContent()).toContain("read-only");
    expect(await page.getByRole("button", { name: "Fork from here" }).count()).toBe(0);
    await page.getByRole("slider", { name: "Time in the run" }).press("Home");
    await expect.poll(() => page.locator(".node.st-idle").count()).toBeGreaterThan(5);
    expect(faults).toEqual([]);
    expect(html.length).toBeLessThan(140_000);
  });

  it("names the largest values where the file would be over 20 MB", async () => {
    const { view } = recordedData();
    const size = 3_000_000;
    const spans = view.spans.map((span) => (span.path === "intake" ? { ...span, output: { value: "…", size } } : span));
    const large = { view: { ...view, spans }, savedAt: 0 };
    const saved = savedPage(large, { player: "x".repeat(20_000_000), style: "" });
    await expect(saved).rejects.toThrow(/20 MB is the limit\. The largest values are: output of intake \(3000 kB\)/);
  });
});

function bodyOf(post: { readonly body: unknown } | undefined): { readonly answers: Record<string, unknown> } {
  return post?.body as { readonly answers: Record<string, unknown> };
}
