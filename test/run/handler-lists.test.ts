import { Chain, type Handler, Runtime } from "kumiko";
import { describe, expect, it } from "vitest";

const naming = (name: string, heard: string[]): Handler => ({
  onStart: (info) => void heard.push(`${name} ${info.name}`),
});

describe("the handlers of a run", () => {
  it("are those of the runtime before those of the call, and of a call inside before what it adds", async () => {
    const heard: string[] = [];
    const child = new Chain<number>().append((n) => n, { key: "in child" }).compile({ name: "child" });
    const app = new Chain<number>()
      .append((n, ctx) => child.invoke(n, { parent: ctx, callbacks: [naming("child's", heard)] }), { key: "calls" })
      .compile({ name: "app", runtime: new Runtime({ callbacks: [naming("runtime's", heard)] }) });
    await app.invoke(1, { callbacks: [naming("call's", heard)] });
    expect(heard).toEqual([
      ...["runtime's app", "call's app", "runtime's calls", "call's calls"],
      ...["runtime's child", "call's child", "child's child"],
      ...["runtime's in child", "call's in child", "child's in child"],
    ]);
  });

  it("do not change with the array in which they were given", async () => {
    const heard: string[] = [];
    const callbacks = [naming("first", heard)];
    const app = new Chain<number>()
      .append(async (n) => n, { key: "waits" })
      .append((n) => n, { key: "last" })
      .compile({ name: "app" });
    const run = app.invoke(1, { callbacks });
    callbacks.push(naming("late", heard));
    await run;
    expect(heard).toEqual(["first app", "first waits", "first last"]);
  });
});
