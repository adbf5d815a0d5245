// A chain: each step gets what the step before gives. Inputs of inline functions are inferred.
// expect: Hello, Ada!
// expect: Hello, Grace!
import { Chain } from "kumiko";

const greet = new Chain<string>()
  .append((name) => name.trim())
  .append(async (name) => ({ name, greeting: "Hello" }))
  .append(({ name, greeting }) => `${greeting}, ${name}!`)
  .compile();

console.log(await greet.invoke("  Ada "));
console.log(await greet.invoke("Grace")); // what is compiled may run any number of times, also side by side
