// The page with viewer() and real apps: what a person does in the page happens to the runs.
import { memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { browserPath, missing, usePage } from "./open-page.js";
import { clerk, desk, serveApps, teller, waiter } from "./real-server.js";

const { openAt } = usePage();

const ended = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);
const titleOf = (page: Page) => page.locator("h2.question").textContent();
const statusOf = (page: Page) => page.locator(".head [role=status]").textContent();

describe.runIf(browserPath !== undefined)(`questions, with the real server${missing}`, () => {
  it("of a graph are answered by mouse, and the run goes on", async () => {
    const app = desk();
    const { url } = await serveApps({ apps: { desk: app } });
    await ended(app.invoke({ id: "T-1", body: "broken" }, { checkpointId: "r-1" }));
    const { page, faults } = await openAt(url, "#/inbox");
    await expect.poll(() => titleOf(page)).toBe("Close T-1?");
    expect(await page.locator(".sheet").textContent()).toContain("masked");
    await page.getByRole("radio", { name: "close" }).check();
    await page.getByLabel("note").fill("with thanks");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await expect.poll(() => page.locator(".empty").textContent()).toContain("Nothing waits");
    await page.goto(`${url}#/runs/s.desk.r-1`);
    await expect.poll(() => statusOf(page)).toBe("finished");
    // what was asked is still told
    await expect.poll(() => page.locator(".talk").textContent()).toContain("Close T-1?");
    await page.getByRole("tab", { name: "Details" }).click();
    await page.locator("[data-path=letter]").click();
    const letter = "Dear customer, T-1: broken → close, with thanks.";
    await expect.poll(() => page.locator(".insp").textContent()).toContain(letter);
    expect(faults).toEqual([]);
  });

  it("of a graph are answered by keys alone", async () => {
    const app = desk();
    const { url } = await serveApps({ apps: { desk: app } });
    for (const id of ["T-1", "T-2"]) await ended(app.invoke({ id, body: "broken" }, { checkpointId: id }));
    const { page } = await openAt(url, "#/inbox");
    await page.waitForSelector(".q");
    await page.keyboard.press("j");
    await expect.poll(() => titleOf(page)).toBe("Close T-2?");
    // from the list, the first field of the form is a few steps of Tab away
    for (let step = 0; step < 8; step++) {
      if (await page.evaluate(() => document.activeElement?.matches("input[type=radio]"))) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => titleOf(page)).toBe("Close T-1?");
    await page.goto(`${url}#/runs/s.desk.T-2`);
    await expect.poll(() => statusOf(page)).toBe("finished");
    await page.locator("[data-path=sign]").click();
    await expect.poll(() => page.locator(".insp").textContent()).toContain("T-2: broken → reopen");
  });

  it("say at the field what does not fit, and stay open", async () => {
    const app = desk();
    const { url } = await serveApps({ apps: { desk: app }, onAnswer: () => "A second person must agree." });
    await ended(app.invoke({ id: "T-1", body: "broken" }, { checkpointId: "r-1" }));
    const { page } = await openAt(url, "#/inbox");
    await page.getByRole("radio", { name: "close" }).check();
    await page.getByLabel("note").fill("more than twenty letters");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await expect.poll(() => page.locator(".field .err").textContent()).toContain("20");
    await page.getByLabel("note").fill("short");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await expect.poll(() => page.locator(".form-failure").textContent()).toBe("A second person must agree.");
    expect(await titleOf(page)).toBe("Close T-1?");
  });

  it("that were answered elsewhere close their form, and say so", async () => {
    const app = desk();
    const { url } = await serveApps({ apps: { desk: app } });
    await ended(app.invoke({ id: "T-1", body: "broken" }, { checkpointId: "r-1" }));
    const { page } = await openAt(url, "#/inbox");
    await expect.poll(() => titleOf(page)).toBe("Close T-1?");
    for await (const { interrupts } of app.history("r-1", { limit: 1 })) {
      await app.resume("r-1", { [interrupts[0]?.id ?? ""]: { decision: "close" } });
    }
    await expect.poll(() => page.locator("main").textContent()).toContain("Nothing waits");
    await expect.poll(() => page.locator(".notices").textContent()).toContain("answered elsewhere");
  });

  it("of an agent are approved with changes in the inbox, and declined in the conversation", async () => {
    const paid: number[] = [];
    const agent = clerk((sum) => paid.push(sum));
    const { url } = await serveApps({ apps: { clerk: agent } });
    await agent.generate("Pay for the late parcel", { threadId: "t-1" });
    const { page, faults } = await openAt(url, "#/inbox");
    await expect.poll(() => titleOf(page)).toBe("May pay run?");
    expect(await page.locator(".before").textContent()).toContain("Pay for the late parcel");
    await page.getByLabel("sum").fill("20");
    await page.getByRole("button", { name: "Approve with changes" }).click();
    await expect.poll(() => paid).toEqual([20]);

    const other = clerk((sum) => paid.push(sum));
    const second = await serveApps({ apps: { clerk: other } });
    await other.generate("Pay for the late parcel", { threadId: "t-2" });
    const list = await openAt(second.url, "#/inbox");
    await list.page.getByRole("link", { name: "Open run" }).click();
    await list.page.getByRole("button", { name: "Decline…" }).click();
    await list.page.keyboard.type("Ask me first");
    await list.page.keyboard.press("Control+Enter");
    await expect.poll(() => statusOf(list.page)).toBe("finished");
    await expect.poll(() => list.page.locator(".talk").textContent()).toContain("It is paid.");
    expect(paid).toEqual([20]);
    expect([...faults, ...list.faults]).toEqual([]);
  });
});

describe.runIf(browserPath !== undefined)(`runs, with the real server${missing}`, () => {
  it("are started with a form of their input, and listed", async () => {
    const { url } = await serveApps({ apps: { desk: desk() } });
    const { page } = await openAt(url, "#/apps/desk");
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(() => page.locator(".field .err").count()).toBeGreaterThan(0);
    await page.getByLabel("id").fill("T-9");
    await page.getByLabel("body").fill("broken");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => statusOf(page)).toBe("waiting for you");
    await page.getByRole("radio", { name: "close" }).check();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await expect.poll(() => statusOf(page)).toBe("finished");
    await page.getByRole("link", { name: "Runs" }).click();
    await expect.poll(() => page.locator(".runs-table tbody tr").count()).toBe(1);
    expect(await page.locator(".runs-table tbody").textContent()).toContain("finished");
  });

  it("are shown while they go on: nodes, and text as it arrives", async () => {
    const { agent, next } = teller();
    const { url, shown } = await serveApps({ apps: { teller: agent } });
    const { page } = await openAt(url, "#/runs");
    await page.waitForSelector(".runs-table, .empty");
    const { result } = agent.stream("A story", { threadId: "t-1", callbacks: [shown.handler] });
    await page.locator(".row-link").first().click();
    await expect.poll(() => page.locator(".talk").textContent()).toContain("thinking");
    next();
    await expect.poll(() => page.locator(".msg.ai").textContent()).toContain("Once");
    expect(await statusOf(page)).toBe("running");
    expect(await page.locator(".node.st-running").count()).toBe(1);
    next();
    await expect.poll(() => page.locator(".msg.ai").textContent()).toContain("Once upon");
    next();
    await result;
    await expect.poll(() => statusOf(page)).toBe("finished");
    await expect.poll(() => page.locator(".msg.ai").textContent()).toContain("Once upon a time.");
  });

  it("are stopped, and go on", async () => {
    const { app, finish } = waiter();
    const { url } = await serveApps({ apps: { waiter: app } });
    const { page } = await openAt(url, "#/apps/waiter");
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.locator("dialog textarea, dialog input").first().fill('"quiet"');
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(() => statusOf(page)).toBe("running");
    await page.getByRole("button", { name: "Stop" }).click();
    // the node is given five seconds
    await expect.poll(() => statusOf(page), { timeout: 30_000 }).toBe("stopped");
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => statusOf(page)).toBe("running");
    finish();
    await expect.poll(() => statusOf(page)).toBe("finished");
  });

  it("are cancelled while they wait, and retried after a failure", async () => {
    const app = desk();
    const { url } = await serveApps({ apps: { desk: app } });
    await ended(app.invoke({ id: "T-1", body: "broken" }, { checkpointId: "r-1" }));
    await ended(app.invoke({ id: "T-2", body: "on fire" }, { checkpointId: "r-2" }));
    const { page } = await openAt(url, "#/runs/s.desk.r-1");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => statusOf(page)).toBe("cancelled");
    await page.goto(`${url}#/runs/s.desk.r-2`);
    await expect.poll(() => statusOf(page)).toBe("failed");
    expect(await page.locator("main").textContent()).toContain("The printer is on fire.");
    await page.getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => statusOf(page)).toBe("waiting for you");
  });

  it("of an agent are run again, in a new thread", async () => {
    const agent = createAgent({
      name: "poet",
      model: scriptedModel("Roses.", "Violets."),
      store: memoryStore(),
      history: true,
    });
    const { url } = await serveApps({ apps: { poet: agent } });
    await agent.generate("A flower, please", { threadId: "t-1" });
    const { page, faults } = await openAt(url, "#/runs");
    await page.locator(".row-link").first().click();
    await page.getByRole("button", { name: "Run again" }).click();
    // it goes to the new run
    await expect.poll(() => page.locator(".talk").textContent()).toContain("Violets.");
    expect(await page.locator(".talk").textContent()).toContain("A flower, please");
    expect(page.url()).not.toContain("t-1");
    await page.getByRole("link", { name: "Runs" }).click();
    await expect.poll(() => page.locator(".runs-table tbody tr").count()).toBe(2);
    expect(faults).toEqual([]);
  });

  it("are forked with another input, another state and another output", async () => {
    const app = desk();
    const { url } = await serveApps({ apps: { desk: app } });
    await ended(app.invoke({ id: "T-1", body: "broken" }, { checkpointId: "r-1" }));
    const forkAt = async (stop: number): Promise<Page> => {
      const { page } = await openAt(url, "#/runs/s.desk.r-1");
      const time = page.getByRole("slider", { name: "Time in the run" });
      await time.press("Home");
      for (let step = 1; step < stop; step++) await time.press("ArrowRight");
      await page.getByRole("button", { name: "Fork from here" }).click();
      return page;
    };
    const first = await forkAt(1);
    await first.getByLabel("Input").fill('{ "id": "T-7", "body": "bent" }');
    await first.getByRole("button", { name: "Fork and go on" }).click();
    await expect.poll(() => first.locator(".head").textContent()).toContain("fork of r-1");
    await expect.poll(() => first.locator(".talk").textContent()).toContain("Close T-7?");

    const second = await forkAt(2);
    await second.getByLabel("State").fill('{ "notes": ["seen"] }');
    await second.getByLabel("Output of read").fill('"T-8: chipped"');
    await second.getByRole("button", { name: "Fork and go on" }).click();
    await expect.poll(() => second.locator(".talk").textContent()).toContain("Close T-8?");
    await second.getByRole("tab", { name: "State" }).click();
    await expect.poll(() => second.locator(".json").first().textContent()).toContain("seen");

    const broken = await forkAt(2);
    await broken.getByLabel("Output of read").fill("T-8");
    await broken.getByRole("button", { name: "Fork and go on" }).click();
    expect(await broken.locator("dialog .err").textContent()).toMatch(/not JSON/);
  });
});
