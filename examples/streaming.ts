// Streams flow through a graph chunk by chunk; if a node needs a whole value, the chunks are concatenated for it.
// expect: ONE TWO THREE
// expect: 3 chunks
// expect: 13 characters
// expect: first came ONE
import { Chain, mapChunks, StreamReader } from "kumiko";

async function* count(words: string) {
  for (const word of words.split(" ")) yield `${word} `; // a node that returns a stream
}

const shout = new Chain<string>()
  .append(count)
  .append(mapChunks((chunk: string) => chunk.toUpperCase())) // a node that works chunk by chunk
  .compile();

// invoke: values in, values out. stream: values in, a stream out.
console.log(await shout.invoke("one two three"));
const chunks: string[] = [];
for await (const chunk of shout.stream("one two three")) chunks.push(chunk);
console.log(`${chunks.length} chunks`);

// transform: a stream in, a stream out. collect: a stream in, a value out.
const length = new Chain<string>().append((text) => `${text.length} characters`).compile(); // needs the whole text
console.log(await length.collect(StreamReader.from(["one ", "two ", "three"])));

// Leaving the loop stops the run: nothing more is produced.
for await (const chunk of shout.stream("one two three")) {
  console.log(`first came ${chunk}`);
  break;
}
