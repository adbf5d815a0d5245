import { expect, it } from "vitest";
import { HandlerList } from "../../src/callbacks/handler-list.js";

const ignore = (): void => {};

it("is nothing for an empty list", () => {
  expect(HandlerList.of([], ignore)).toBeUndefined();
});

it("knows whether somebody wants side events", () => {
  expect(HandlerList.of([{ onStart: ignore }, { onEvent: ignore }], ignore)?.hasEvent).toBe(true);
  expect(HandlerList.of([{ onStart: ignore }, { onError: ignore }], ignore)?.hasEvent).toBe(false);
});

it("keeps its handlers in front when more come", () => {
  const [a, b] = [{ onStart: ignore }, { onEvent: ignore }];
  const outer = HandlerList.of([a], ignore);
  const inner = outer?.with([b]);
  expect(inner?.items).toEqual([a, b]);
  expect(inner?.hasEvent).toBe(true);
  expect(outer).toMatchObject({ items: [a], hasEvent: false });
});

it("is the same list when no more come", () => {
  const list = HandlerList.of([{ onStart: ignore }], ignore);
  expect(list?.with([])).toBe(list);
});

it("does not change with the array that it was made from", () => {
  const handlers = [{ onStart: ignore }];
  const list = HandlerList.of(handlers, ignore);
  handlers.push({ onStart: ignore });
  expect(list?.items).toHaveLength(1);
});
