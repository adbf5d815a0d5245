// Messages from variables, which the compiler infers from the strings; and the same in Jinja, with a loop.
// expect: system: You are a botanist. Answer in {one} sentence.
// expect: user: Why are maple leaves red?
// expect: - Maples are trees.
// expect: The template needs "question", which is missing.
import { assistantMessage, Chain, textOf, userMessage } from "kumiko";
import { jinja, placeholder, promptTemplate } from "kumiko/templates";
import { scriptedModel } from "kumiko/testing";

const template = promptTemplate([
  ["system", "You are a {role}. Answer in {{one}} sentence."],
  placeholder("history", { optional: true }),
  ["user", "{question}"],
]);
const history = [userMessage("Hi"), assistantMessage("Hello!")];
for (const message of await template.format({ role: "botanist", history, question: "Why are maple leaves red?" })) {
  console.log(`${message.role}: ${textOf(message)}`);
}

// in a chain: the input consists of the variables of the template
const model = scriptedModel((messages) => assistantMessage(textOf(messages.at(-1) ?? userMessage(""))));
const list = promptTemplate([["user", "{% for fact in facts %}- {{ fact }}\n{% endfor %}"]], { syntax: jinja });
const app = new Chain<{ facts: string[] }>().append(list).appendModel(model).append(textOf).compile();
console.log(await app.invoke({ facts: ["Maples are trees.", "Their leaves turn red."] }));

const variables: Record<string, string> = { role: "botanist" };
await template.format(variables as never).catch((error: Error) => console.log(error.message));
