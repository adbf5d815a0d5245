// The page of examples/chat in a real browser. A test writes the answers of the model itself, so nothing depends on time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "kumiko";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDesk } from "../../examples/chat/desk.js";
import { scriptedDesk } from "../../examples/chat/scripted-desk.js";
import { chatServer } from "../../examples/chat/server.js";
import { usePrograms } from "../programs.js";
import { browserPath, button, idle, type OpenChat, picture, saysWhole, send, talk, useChat } from "./chat-browser.js";
import type { DrivenCall } from "./driven-model.js";

const root = join(import.meta.dirname, "../..");
const open = useChat();
const missing = browserPath === undefined ? " (skipped: no Chromium is installed)" : "";

it("its guide shows the functions of the page as they are", () => {
  const guide = readFileSync(join(root, "docs/guides/chat-page.md"), "utf8");
  const page = readFileSync(join(root, "examples/chat/page/chat-message.ts"), "utf8");
  for (const name of ["isAnswered", "loadMessages"]) {
    const [shown, own] = [guide, page].map((text) => new RegExp(`function ${name}\\b[^]*?\n}\n`).exec(text)?.[0]);
    expect(own).toBeDefined();
    expect(shown).toBe(own);
  }
});

it("its package.json asks for the versions that are tested here", () => {
  const read = (path: string): Record<"dependencies" | "devDependencies", Record<string, string>> =>
    JSON.parse(readFileSync(join(root, path), "utf8"));
  const { dependencies, devDependencies } = read("examples/chat/package.json");
  const { kumiko, ...others } = { ...dependencies, ...devDependencies };
  expect(kumiko).toBe(`^${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`);
  expect(read("package.json").devDependencies).toMatchObject(others);
});

it("its server shows a chat only to the user whose it is", async () => {
  const store = memoryStore();
  const agent = createDesk(scriptedDesk(), store);
  const page = join(root, "examples/chat/page");
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const app = chatServer({ agent, store, page, report, userOf: (c) => c.req.header("x-user") ?? "nobody" });
  const as = (user: string, path: string, init: RequestInit = {}) =>
    app.request(path, { ...init, headers: { "x-user": user } });
  const post = (user: string, text: string) =>
    as(user, "/chat", {
      method: "POST",
      body: JSON.stringify({ id: "c", messages: [{ id: text, role: "user", parts: [{ type: "text", text }] }] }),
    });
  await (await post("ann", "Hello")).text();
  const intruder = await post("bob", "And what did Ann say?");
  expect([intruder.status, await intruder.json()]).toMatchObject([404, { error: { code: "THREAD_OF_OTHER_USER" } }]);
  expect(await (await as("bob", "/chat/c")).json()).toEqual([]);
  expect((await as("bob", "/chat/c/stream")).status).toBe(204);
  await as("bob", "/chat/c/stream", { method: "DELETE" });
  expect((await as("ann", "/chat/c/stream")).status).toBe(200);
  const messages: { id: string }[] = await (await as("ann", "/chat/c")).json();
  expect(messages.map(({ id }) => id)).toEqual(["Hello", "turn-1"]);
  expect(reported).toHaveLength(1);
});

/** Sends a prompt and gives its answer. */
async function ask({ page, model }: OpenChat, prompt: string, answer: string): Promise<DrivenCall> {
  await send(page, prompt);
  const call = await model.called();
  call.end(answer);
  await idle(page);
  return call;
}

const table = { day: "Friday", people: 2 };

/** Goes on until the page asks whether a table may be booked. */
async function askForApproval({ page, model }: OpenChat, { reloads = false } = {}): Promise<void> {
  await send(page, "A table, please");
  (await model.called()).call("find_tables", table);
  (await model.called()).call("choose_time", { times: ["18:00", "19:30"] });
  await button(page, "19:30").waitFor();
  await picture(page, "choice");
  if (reloads) await page.reload();
  await button(page, "19:30").click();
  (await model.called()).call("book_table", { ...table, time: "19:30" });
  await button(page, "Approve").waitFor();
}

const before = "Friday: 3 times are free";
const looked = [`✓ ${before}`, "✓ You chose 19:30"];
const answer = (...parts: string[]) => `Kawa: ${parts.join(" | ")}`;

/** Reloads the page, which must show the same as before. */
async function isSameAfterReload(page: Page): Promise<void> {
  const shown = await talk(page);
  await page.reload();
  await saysWhole(page, shown);
}

describe.skipIf(missing !== "")(`the page of examples/chat in Chromium${missing}`, () => {
  it("sends a message, and shows the answer while it is written", async () => {
    const chat = await open();
    const { page, model } = chat;
    await picture(page, "empty");
    await send(page, "Hello");
    const call = await model.called();
    expect(call.asked).toEqual(["user: Hello"]);
    call.write("Good ");
    await saysWhole(page, ["You: Hello", answer("Good")]);
    expect(await button(page, "Send").count()).toBe(0);
    call.end("evening.");
    await idle(page);
    await saysWhole(page, ["You: Hello", answer("Good evening.")]);
    const { asked } = await ask(chat, "And you?", "Fine.");
    expect(asked).toEqual(["user: Hello", "assistant: Good evening.", "user: And you?"]);
    await isSameAfterReload(page);
  });

  it("lets the user choose and approve, before and after a reload", async () => {
    const chat = await open();
    const { page, model } = chat;
    await askForApproval(chat, { reloads: true });
    await picture(page, "approval");
    await isSameAfterReload(page);
    await button(page, "Approve").click();
    (await model.called()).end("It is booked.");
    await idle(page);
    const whole = ["You: A table, please", answer(...looked, "✓ Booked, K-0417", "It is booked.")];
    await saysWhole(page, whole);
    await page.reload();
    await saysWhole(page, whole);
    expect(await button(page, "Approve").count()).toBe(0);
  });

  it("lets the user decline: nothing is booked", async () => {
    const chat = await open();
    const { page, model } = chat;
    await askForApproval(chat);
    await button(page, "Decline").click();
    (await model.called()).end("Another evening?");
    await idle(page);
    await saysWhole(page, ["You: A table, please", answer(...looked, "✕ Not booked", "Another evening?")]);
    await isSameAfterReload(page);
    expect(chat.received()).not.toContain("K-0417");
  });

  it("lets the user say something else while a question is open", async () => {
    const chat = await open();
    const { page } = chat;
    await askForApproval(chat);
    const { asked } = await ask(chat, "Wait, what is on the menu?", "Fish.");
    expect(asked.at(-1)).toBe("user: Wait, what is on the menu?");
    expect(await button(page, "Approve").count()).toBe(0);
    expect((await talk(page)).at(-1)).toBe(answer("Fish."));
  });

  it("stops the model, and keeps what it has written, also after the next message", async () => {
    const chat = await open();
    const { page, model } = chat;
    await send(page, "The menu?");
    const call = await model.called();
    call.write("Tonight there is ");
    await saysWhole(page, ["You: The menu?", answer("Tonight there is")]);
    await picture(page, "writing");
    await button(page, "Stop").click();
    await call.stopped();
    await idle(page);
    const stopped = ["You: The menu?", answer("Tonight there is", "Stopped")];
    await saysWhole(page, stopped);
    const { asked } = await ask(chat, "Only the soup", "Clams.");
    expect(asked).toEqual(["user: The menu?", "assistant: Tonight there is ", "user: Only the soup"]);
    await saysWhole(page, [...stopped, "You: Only the soup", answer("Clams.")]);
    await picture(page, "stopped");
    await isSameAfterReload(page);
  });

  it("stops the model before it has written anything", async () => {
    const chat = await open();
    const { page, model } = chat;
    await send(page, "The menu?");
    const call = await model.called();
    await button(page, "Stop").click();
    await call.stopped();
    await idle(page);
    await saysWhole(page, ["You: The menu?", answer("Stopped")]);
    await isSameAfterReload(page);
    await button(page, "Again").click();
    (await model.called()).end("Fish.");
    await saysWhole(page, ["You: The menu?", answer("Fish.")]);
  });

  it("stops what goes on after an approval, and does not send the approval again", async () => {
    const chat = await open();
    const { page, model } = chat;
    await askForApproval(chat);
    await button(page, "Approve").click();
    const call = await model.called();
    call.write("It is ");
    await page.getByText("It is").waitFor();
    await button(page, "Stop").click();
    await call.stopped();
    const stopped = ["You: A table, please", answer(...looked, "✓ Booked, K-0417", "It is", "Stopped")];
    await saysWhole(page, stopped);
    const { asked } = await ask(chat, "Thank you", "Until Friday.");
    expect(asked.at(-1)).toBe("user: Thank you");
    await saysWhole(page, [...stopped, "You: Thank you", answer("Until Friday.")]);
    await isSameAfterReload(page);
  });

  it("asks again, and only the new answer is left", async () => {
    const chat = await open();
    const { page, model } = chat;
    await ask(chat, "Hello", "Hi.");
    await ask(chat, "A haiku?", "No.");
    await button(page, "Again").click();
    const call = await model.called();
    expect(call.asked).toEqual(["user: Hello", "assistant: Hi.", "user: A haiku?"]);
    call.end("The old pond.");
    await idle(page);
    await saysWhole(page, ["You: Hello", answer("Hi."), "You: A haiku?", answer("The old pond.")]);
    await isSameAfterReload(page);
  });

  it("edits the first of three messages: the others are gone, for the model too", async () => {
    const chat = await open();
    const { page, model } = chat;
    for (const text of ["One", "Two", "Three"]) await ask(chat, text, `${text}!`);
    await page.getByText("One", { exact: true }).hover();
    await button(page, "Edit").first().click();
    await page.getByRole("textbox", { name: "Edited message" }).fill("Uno");
    await picture(page, "edit");
    await page.keyboard.press("Enter");
    const call = await model.called();
    expect(call.asked).toEqual(["user: Uno"]);
    call.end("Uno!");
    await idle(page);
    await saysWhole(page, ["You: Uno", answer("Uno!")]);
    await isSameAfterReload(page);
    const { asked } = await ask(chat, "Due", "Due!");
    expect(asked).toEqual(["user: Uno", "assistant: Uno!", "user: Due"]);
  });

  it("edits a message whose answer asks something", async () => {
    const chat = await open();
    const { page, model } = chat;
    await askForApproval(chat);
    await page.getByText("A table, please").hover();
    await button(page, "Edit").click();
    await page.getByRole("textbox", { name: "Edited message" }).fill("Only the menu, please");
    await page.keyboard.press("Enter");
    const call = await model.called();
    expect(call.asked).toEqual(["user: Only the menu, please"]);
    call.end("Fish.");
    await idle(page);
    await saysWhole(page, ["You: Only the menu, please", answer("Fish.")]);
    await isSameAfterReload(page);
  });

  it("does not change a message whose editing is cancelled", async () => {
    const chat = await open();
    const { page } = chat;
    await ask(chat, "One", "One!");
    await page.getByText("One", { exact: true }).hover();
    await button(page, "Edit").click();
    await page.getByRole("textbox", { name: "Edited message" }).fill("Uno");
    await page.keyboard.press("Escape");
    await saysWhole(page, ["You: One", answer("One!")]);
  });
});

describe.skipIf(missing !== "")(`a page that is reloaded while an answer is written${missing}`, () => {
  it("goes on with it, again and again, and loses and doubles nothing", async () => {
    const { page, model } = await open();
    await send(page, "Count");
    const call = await model.called();
    let text = "";
    for (const word of ["one", "two", "three", "four"]) {
      call.write(`${word} `);
      text += `${word} `;
      await saysWhole(page, ["You: Count", answer(text.trim())]);
      await page.reload();
      await saysWhole(page, ["You: Count", answer(text.trim())]);
      expect(await button(page, "Stop").count()).toBe(1);
    }
    call.end("five");
    await idle(page);
    await saysWhole(page, ["You: Count", answer("one two three four five")]);
    expect(call.signal.aborted).toBe(false);
    await isSameAfterReload(page);
  });

  it("goes on with what came before an approval, too", async () => {
    const chat = await open();
    const { page, model } = chat;
    await askForApproval(chat);
    await button(page, "Approve").click();
    const call = await model.called();
    call.write("It is ");
    const shown = (text: string) => ["You: A table, please", answer(...looked, "✓ Booked, K-0417", text)];
    await saysWhole(page, shown("It is"));
    await page.reload();
    await saysWhole(page, shown("It is"));
    call.end("booked.");
    await idle(page);
    await saysWhole(page, shown("It is booked."));
    await isSameAfterReload(page);
  });

  it("has the answer also if that ends between its two requests", async () => {
    const { page, model } = await open();
    await send(page, "Hello");
    const call = await model.called();
    call.write("Good ");
    await saysWhole(page, ["You: Hello", answer("Good")]);
    let goOn = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route("**/stream", async (route) => {
      call.end("evening.");
      await ended;
      await route.continue();
    });
    await page.reload();
    await saysWhole(page, ["You: Hello"]);
    const stored = async () => (await page.request.get(page.url().replace("/?chat=", "/chat/"))).json();
    await expect.poll(async () => (await stored()).length, { timeout: 20_000 }).toBe(2);
    goOn();
    await saysWhole(page, ["You: Hello", answer("Good evening.")]);
    await idle(page);
  });

  it("can stop it", async () => {
    const { page, model } = await open();
    await send(page, "Count");
    const call = await model.called();
    call.write("one ");
    await saysWhole(page, ["You: Count", answer("one")]);
    await page.reload();
    await saysWhole(page, ["You: Count", answer("one")]);
    await button(page, "Stop").click();
    await call.stopped();
    await saysWhole(page, ["You: Count", answer("one", "Stopped")]);
    await isSameAfterReload(page);
  });
});

describe.skipIf(missing !== "")(`the page of examples/chat, when something fails${missing}`, () => {
  const secret = "connect ECONNREFUSED 10.0.0.7";

  it("shows a neutral sentence, and nothing of the error reaches the browser", async () => {
    const chat = await open();
    const { page, model, reported } = chat;
    await send(page, "Hello");
    const call = await model.called();
    call.write("Good ");
    await saysWhole(page, ["You: Hello", answer("Good")]);
    call.fail(secret);
    await page.getByRole("alert").getByText("Something went wrong.").waitFor();
    await picture(page, "failure");
    expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining(secret)]);
    await page.reload();
    await page.getByRole("alert").getByText("Something went wrong.").waitFor();
    expect(chat.received()).toContain("Something went wrong. Please try again.");
    expect(chat.received()).not.toMatch(/ECONNREFUSED|10\.0\.0\.7|Node "model"|NODE_FAILED/);
  });

  it("tries again from there, and does nothing twice", async () => {
    const chat = await open();
    const { page, model } = chat;
    await askForApproval(chat);
    await button(page, "Approve").click();
    const failing = await model.called();
    failing.write("It is boo");
    failing.fail(secret);
    await button(page, "Try again").click();
    const call = await model.called();
    call.end("It is booked.");
    await idle(page);
    const whole = ["You: A table, please", answer(...looked, "✓ Booked, K-0417", "It is booked.")];
    await saysWhole(page, whole);
    expect(await page.getByRole("alert").count()).toBe(0);
    await isSameAfterReload(page);
    expect(chat.received()).not.toContain(secret);
  });

  it("goes on after a reload while a failed answer is tried again", async () => {
    const { page, model } = await open();
    await send(page, "Hello");
    const failing = await model.called();
    failing.write("Goo");
    failing.fail(secret);
    await button(page, "Try again").click();
    const call = await model.called();
    call.write("Good ");
    await saysWhole(page, ["You: Hello", answer("Good")]);
    await page.reload();
    await saysWhole(page, ["You: Hello", answer("Good")]);
    call.end("evening.");
    await idle(page);
    await saysWhole(page, ["You: Hello", answer("Good evening.")]);
  });

  it("sends a message again that has not reached the server", async () => {
    const { page, model } = await open();
    await page.route("**/chat", (route) => route.abort(), { times: 1 });
    await send(page, "Hello");
    await button(page, "Try again").click();
    const call = await model.called();
    expect(call.asked).toEqual(["user: Hello"]);
    call.end("Good evening.");
    await idle(page);
    await saysWhole(page, ["You: Hello", answer("Good evening.")]);
  });
});

it.skipIf(missing !== "")(`the page fits a narrow screen${missing}`, async () => {
  const chat = await open();
  const { page } = chat;
  await page.setViewportSize({ width: 360, height: 640 });
  await ask(chat, "Hello, this is a question of many words ".repeat(4), "x".repeat(200));
  await askForApproval(chat);
  await picture(page, "narrow");
  await page.setViewportSize({ width: 360, height: 640 });
  const [content, visible] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(content).toBe(visible);
});

describe.skipIf(missing !== "")(`npm run chat${missing}`, () => {
  const main = join(root, "examples/chat/main.ts");
  const programOf = usePrograms(main);

  /** Starts the chat as a process, with a folder for what it keeps. */
  async function start(
    folder: string,
    wordsPerSecond: number,
  ): Promise<{ readonly url: string; kill(): Promise<void> }> {
    const child = spawn(process.execPath, [programOf(main)], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, PORT: "0", CHAT_FOLDER: folder, WORDS_PER_SECOND: String(wordsPerSecond) },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = await once(child.stdout, "data");
    const kill = async (): Promise<void> => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    };
    return { url: /http\S+/.exec(String(line))?.[0] ?? "", kill };
  }

  it("goes on in another process with an answer whose process was killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kumiko-chat-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await start(folder, 2);
    const page = await open.page(first.url);
    await send(page, "What is on the menu?");
    await page.getByText("Tonight there").waitFor();
    await first.kill();
    await page.getByRole("alert").getByText("Something went wrong.").waitFor();

    const second = await start(folder, 1_000);
    const { search } = new URL(page.url());
    await page.goto(`${second.url}/${search}`);
    await page.getByRole("alert").getByText("The answer was cut off.").waitFor();
    await button(page, "Go on").click();
    await page.getByText("the kitchen has an answer to most things.").waitFor();
    await idle(page);
    const [prompt, text] = await talk(page);
    expect(prompt).toBe("You: What is on the menu?");
    expect(text?.match(/Tonight there are five courses/g)).toHaveLength(1);
    await isSameAfterReload(page);
  });
});
