// A chain: each step receives the output of the previous one. Inputs of inline functions are inferred.
// expect: Hello, Ada!
// expect: Hello, Grace!
import { Chain } from "kumiko";

const greet = new Chain<string>()
  .append((name) => name.trim())
  .append(async (name) => ({ name, greeting: "Hello" }))
  .append(({ name, greeting }) => `${greeting}, ${name}!`)
  .compile();

console.log(await greet.invoke("  Ada "));
console.log(await greet.invoke("Grace")); // a compiled chain can run any number of times, also in parallel
