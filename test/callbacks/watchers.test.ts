import { expect, it } from "vitest";
import { Watchers } from "../../src/callbacks/watchers.js";

const ignore = (): void => {};

it("is nothing for an empty list", () => {
  expect(Watchers.of([], ignore)).toBeUndefined();
});

it("knows which timings its handlers declare", () => {
  const watchers = Watchers.of([{ onStart: ignore }, { onError: ignore, onEndWithStreamOutput: ignore }], ignore);
  expect(watchers).toMatchObject({
    hasStart: true,
    hasEnd: false,
    hasError: true,
    hasInterrupt: false,
    hasStreamStart: false,
    hasStreamEnd: true,
    hasEvent: false,
  });
});

it("keeps its handlers in front when more come", () => {
  const [a, b] = [{ onStart: ignore }, { onEnd: ignore }];
  const outer = Watchers.of([a], ignore);
  const inner = outer?.with([b]);
  expect(inner?.handlers).toEqual([a, b]);
  expect(inner).toMatchObject({ hasStart: true, hasEnd: true });
  expect(outer).toMatchObject({ handlers: [a], hasEnd: false });
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
