// Chunks of your own types: define how they are concatenated, for a class in a registry, or for one node with `concat`.
// expect: 12.50 EUR
// expect: [ { city: 'Oslo' }, { city: 'Rome' } ]
import { Chain, ConcatRegistry, lambda, Runtime } from "kumiko";

class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }

  toString(): string {
    return `${(this.cents / 100).toFixed(2)} EUR`;
  }
}

// The registry applies to the graphs that are compiled with it, not to the whole process.
const concat = new ConcatRegistry().add(Money, (parts) => new Money(parts.reduce((sum, { cents }) => sum + cents, 0)));
const runtime = new Runtime({ concat });

const bill = new Chain<number[]>()
  .append(async function* (prices) {
    for (const price of prices) yield new Money(price);
  })
  .append((total) => `${total}`) // wants one value: the chunks are joined for it
  .compile({ runtime });
console.log(await bill.invoke([1_000, 250]));

// The library does not guess how to concatenate plain objects: the node defines it.
const cities = lambda(
  {
    stream: async function* (names: string) {
      for (const city of names.split(",")) yield [{ city }];
    },
  },
  { concat: "list" },
);
console.log(await cities.invoke("Oslo,Rome"));
