import { expect, it } from "vitest";
import { Watchers } from "../../src/callbacks/watchers.js";

const ignore = (): void => {};

it("is nothing for an empty list", () => {
  expect(Watchers.of([], ignore)).toBeUndefined();
});

it("knows whether somebody wants side events", () => {
  expect(Watchers.of([{ onStart: ignore }, { onEvent: ignore }], ignore)?.hasEvent).toBe(true);
  expect(Watchers.of([{ onStart: ignore }, { onError: ignore }], ignore)?.hasEvent).toBe(false);
});

it("keeps its handlers in front when more come", () => {
  const [a, b] = [{ onStart: ignore }, { onEvent: ignore }];
  const outer = Watchers.of([a], ignore);
  const inner = outer?.with([b]);
  expect(inner?.handlers).toEqual([a, b]);
  expect(inner?.hasEvent).toBe(true);
  expect(outer).toMatchObject({ handlers: [a], hasEvent: false });
});

it("is the same list when no more come", () => {
  const watchers = Watchers.of([{ onStart: ignore }], ignore);
  expect(watchers?.with([])).toBe(watchers);
});

it("does not change with the array that it was made from", () => {
  const handlers = [{ onStart: ignore }];
  const watchers = Watchers.of(handlers, ignore);
  handlers.push({ onStart: ignore });
  expect(watchers?.handlers).toHaveLength(1);
});
