import { setTimeout } from "node:timers/promises";
import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  concatMessages,
  functionToolCall,
  textOf,
  toolResultsOf,
} from "kumiko";
import { assistantGenText } from "kumiko/schema";

export interface ScriptedDeskOptions {
  /** How fast it writes. @default as fast as it is read */
  readonly wordsPerSecond?: number;
}

/** A model without a model: rules that read the conversation, and answer word by word. */
export function scriptedDesk({ wordsPerSecond = Number.POSITIVE_INFINITY }: ScriptedDeskOptions = {}): AgenticModel {
  return {
    component: "model",
    type: "ScriptedDesk",
    generate: async (messages) => concatMessages([...chunksOf(answerTo(messages))]),
    async *stream(messages, { signal }) {
      for (const chunk of chunksOf(answerTo(messages))) {
        await setTimeout(1_000 / wordsPerSecond, undefined, { signal });
        yield chunk;
      }
    },
  };
}

/** What is said next: a text, and the call of a tool. */
interface Answer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly arguments: object };
}

function answerTo(messages: readonly AgenticMessage[]): Answer {
  const prompts = messages.filter((message) => message.role === "user" && textOf(message) !== "");
  const question = textOf(prompts.at(-1) ?? assistantMessage("")).toLowerCase();
  if (/\bfail|\bbreak|\berror/.test(question)) throw new Error("connect ECONNREFUSED 10.0.0.7:443 (key sk-secret)");
  if (/\bbook|\btable|\breserv/.test(question)) return booking(question, messages);
  if (/\bmenu|\beat|\bdish|\bfood/.test(question)) return { text: next(menus).join("\n\n") };
  const count = prompts.length === 1 ? "your first message" : `message ${prompts.length} of this talk`;
  return { text: `${next(["Hello!", "Good evening!", "Welcome!"])} That was ${count}. ${offer}` };
}

const offer = "I can book a table for you, or tell you what is on the menu.";
const menus: readonly [string[], ...string[][]] = [
  [
    "Tonight there are five courses.",
    "We begin with chilled tofu, ginger and the first green plums. Then comes a clear soup with clams, which is cooked in the moment you sit down. The third course is grilled mackerel with salt from Noto, the fourth one rice with bamboo shoots.",
    "At the end there is a slice of melon, and tea that our neighbour has roasted this morning. If there is something that you do not eat, tell me: the kitchen has an answer to most things.",
  ],
  [
    "The kitchen cooks what the market had this morning.",
    "There is sea bream in thin slices, with a little citrus. There are three small vegetables: aubergine in miso, spinach with sesame, and a fritter of burdock. There is a pot of chicken and leek that is brought to the table while it boils, and as much rice as you wish.",
    "For those who like it sweet, there is a pudding of black sesame. The tea is on the house.",
  ],
];

/** Each call needs what the one before it has found. A model knows no more than the messages. */
function booking(question: string, messages: readonly AgenticMessage[]): Answer {
  const prompt = messages.findLastIndex((message) => message.role === "user" && textOf(message) !== "");
  const results = new Map(
    messages
      .slice(prompt + 1)
      .flatMap(toolResultsOf)
      .map((one) => [one.name, one]),
  );
  const table = { day: dayIn(question), people: peopleIn(question) };
  const found = results.get("find_tables");
  if (found === undefined) return { text: "Let me look at our book.", call: { name: "find_tables", arguments: table } };
  const chosen = results.get("choose_time");
  if (chosen === undefined) {
    const { times } = JSON.parse(found.result) as { times: string[] };
    return { text: "Yes, there is something free.", call: { name: "choose_time", arguments: { times } } };
  }
  const booked = results.get("book_table");
  if (booked === undefined) {
    const { time } = JSON.parse(chosen.result) as { time: string };
    return { text: "", call: { name: "book_table", arguments: { ...table, time } } };
  }
  if (booked.isError === true) return { text: "Then I have booked nothing. Is there another evening that suits you?" };
  const { day, time, people, reference } = JSON.parse(booked.result) as Record<string, string | number>;
  return { text: `Your table for ${people} is booked: ${day} at ${time}. Your reference is ${reference}.` };
}

function dayIn(question: string): string {
  const day = /\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\btomorrow\b/.exec(question)?.[0] ?? "tonight";
  return `${day.charAt(0).toUpperCase()}${day.slice(1)}`;
}

function peopleIn(question: string): number {
  const word = /\bfor (one|two|three|four|five|six|[1-8])\b/.exec(question)?.[1] ?? "two";
  const index = ["one", "two", "three", "four", "five", "six"].indexOf(word);
  return index === -1 ? Number(word) : index + 1;
}

let asked = 0;

/** Another one each time, so that one sees when something is asked again. */
function next<T>(values: readonly [T, ...T[]]): T {
  return values[asked++ % values.length] ?? values[0];
}

/** The answer as models send it: words one by one, then the call. */
function* chunksOf({ text, call }: Answer): Generator<AgenticMessage> {
  for (const word of text.match(/\s*\S+/g) ?? [])
    yield assistantMessage(assistantGenText({ text: word, streamingMeta: { index: 0 } }));
  if (call === undefined) return;
  const callId = `call_${crypto.randomUUID()}`;
  const { name, arguments: input } = call;
  yield assistantMessage([
    functionToolCall({ callId, name, arguments: JSON.stringify(input), streamingMeta: { index: 1 } }),
  ]);
}
