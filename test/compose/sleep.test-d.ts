import { Chain, type Runnable, sleep } from "kumiko";
import { expectTypeOf, it } from "vitest";

it("keeps the type of what flows", () => {
  const app = new Chain<{ readonly waitMs: number }>()
    .append(sleep(100))
    .append(sleep(({ waitMs }) => waitMs))
    .append(({ waitMs }) => waitMs)
    .append(sleep(new Date()))
    .compile();
  expectTypeOf(app).toExtend<Runnable<{ readonly waitMs: number }, number>>();
  expectTypeOf(sleep((text: string) => text.length)).toEqualTypeOf<Runnable<string, string>>();
});

it("refuses other times", () => {
  // @ts-expect-error a text is no time
  sleep("1s");
  // @ts-expect-error nor is what this function gives
  sleep((text: string) => text);
});
