import { Chain, sleep } from "kumiko";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const month = 31 * 24 * 3_600_000;

describe("the clock of runs that have no other", () => {
  it("waits longer than a timer of the platform can", async () => {
    let fired = 0;
    void new Chain<string>()
      .append(sleep(2 * month))
      .compile()
      .invoke("")
      .then(() => fired++);
    await vi.advanceTimersByTimeAsync(2 * month - 1);
    expect(fired).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(fired).toBe(1);
  });

  it.each([month, 5])("leaves no timer of a run that is stopped while it waits for %d ms", async (milliseconds) => {
    const controller = new AbortController();
    const run = new Chain<string>().append(sleep(milliseconds)).compile().invoke("", { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});
