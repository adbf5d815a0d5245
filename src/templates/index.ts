/**
 * Messages from typed variables. Jinja needs the package `@huggingface/jinja`, Mustache the package `mustache`.
 *
 * @packageDocumentation
 */

export { jinja } from "./jinja.js";
export { mustache } from "./mustache.js";
export { type Placeholder, type PlaceholderOptions, placeholder } from "./placeholder.js";
export { type PromptTemplate, type PromptTemplateOptions, promptTemplate } from "./prompt-template.js";
export type { CompiledText, TemplateSyntax } from "./template-syntax.js";
export type { TemplatePart, TemplateVariables } from "./template-variables.js";
export type { TemplateValue } from "./variable-value.js";
