import type { Template } from "../components/retrieval.js";
import { isAgenticMessage } from "../schema/message/agentic-message.js";
import { componentChecks } from "./component-stage.js";
import { type ConformanceCheck, checkedCase, expectThat } from "./conformance.js";

/** A case of {@link templateConformance}. */
export interface TemplateCase<Variables, Options> {
  /** The variables for `format`. */
  readonly variables: Variables;
  /** Call options of the template. */
  readonly options?: Options | undefined;
}

/**
 * Checks for a `Template`, for any test runner: it returns messages, always the same ones for the same variables, and does not
 * change the variables. `make` is called for each check.
 *
 * @example
 * const make = () => promptTemplate([["user", "{question}"]]);
 * for (const { run } of templateConformance(make, { variables: { question: "Why?" } })) await run();
 */
export function templateConformance<Variables, Options = unknown>(
  make: () => Template<Variables, Options>,
  templateCase: TemplateCase<Variables, Options>,
): ConformanceCheck[] {
  const needed = { variables: '{ question: "Why?" }' };
  const { variables, options } = checkedCase("templateConformance", make, templateCase, needed);
  return componentChecks(
    {
      make,
      component: "template",
      input: variables,
      options,
      call: (template, input, ctx) => template.format(input, ctx),
    },
    (messages) => {
      const areMessages = Array.isArray(messages) && messages.every(isAgenticMessage);
      expectThat(
        areMessages && messages.length > 0,
        "format does not return a list of messages, or the list is empty.",
      );
    },
  );
}
