// `events` returns everything that happens in a run as one ordered stream, for example for a user interface.
// expect: start chain story
// expect: chunk lambda write: Once
// expect: end chain story: Once upon a time
import { Chain, events } from "kumiko";

const story = new Chain<string>()
  .append(
    async function* (opening) {
      for (const word of opening.split(" ")) yield word === "time" ? word : `${word} `;
    },
    { key: "write" },
  )
  .compile({ name: "story" });

for await (const { seq, type, info, value } of events(story, "Once upon a time")) {
  const place = `${info.component} ${info.name}`;
  console.log(`${seq} ${type} ${place}${type === "start" ? "" : `: ${value}`}`);
}
