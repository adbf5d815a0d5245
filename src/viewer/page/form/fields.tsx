/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { SafeText } from "../parts/safe-text.js";
import type { Draft, Mistake } from "./draft.js";
import { draftOf } from "./draft.js";
import type { FieldModel, NamedField } from "./field-model.js";

export interface FieldProps {
  readonly name: string;
  readonly path: string;
  readonly field: FieldModel;
  readonly draft: Draft;
  /** What it was before the person changed it: shown beside what differs, with an undo. */
  readonly was?: Draft | undefined;
  readonly isRequired: boolean;
  /** Beside another field there is no room for a row of choices. */
  readonly isNarrow?: boolean;
  readonly mistakes: readonly Mistake[];
  onChange(draft: Draft): void;
}

/** A field of a form, for any kind of schema. */
export function Field(props: FieldProps) {
  const { field } = props;
  switch (field.type) {
    case "constant":
      return null;
    case "object":
      return <ObjectField {...props} field={field} />;
    case "list":
      return <ListField {...props} field={field} />;
    case "variants":
      return <VariantField {...props} field={field} />;
    case "switch":
      return <SwitchField {...props} />;
    default:
      return <LineField {...props} />;
  }
}

/** The fields of an object. Two short ones stand beside each other. */
export function Fields({
  fields,
  drafts,
  was,
  path,
  mistakes,
  onChange,
}: {
  readonly fields: readonly NamedField[];
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly was: Readonly<Record<string, Draft>> | undefined;
  readonly path: string;
  readonly mistakes: readonly Mistake[];
  onChange(drafts: Readonly<Record<string, Draft>>): void;
}) {
  const one = ({ name, isRequired, field }: NamedField, isNarrow = false) => (
    <Field
      key={name}
      name={name}
      path={path === "" ? name : `${path}.${name}`}
      field={field}
      draft={drafts[name]}
      was={was?.[name]}
      isRequired={isRequired}
      isNarrow={isNarrow}
      mistakes={mistakes}
      onChange={(draft) => onChange({ ...drafts, [name]: draft })}
    />
  );
  const rows: ComponentChildren[] = [];
  for (let index = 0; index < fields.length; index++) {
    const [field, next] = [fields[index], fields[index + 1]];
    if (field === undefined) continue;
    if (next !== undefined && field.field.type === "number" && isShortChoice(next.field)) {
      rows.push(
        <div key={`${field.name} row`} class="two">
          {one(field)}
          {one(next, true)}
        </div>,
      );
      index++;
    } else rows.push(one(field));
  }
  return <>{rows}</>;
}

function isShortChoice(field: FieldModel): boolean {
  return field.type === "choice" && field.values.every((value) => String(value).length <= 6);
}

function ObjectField({
  name,
  path,
  field,
  draft,
  was,
  mistakes,
  onChange,
}: FieldProps & { field: FieldModel & { type: "object" } }) {
  const drafts = typeof draft === "object" && "fields" in draft ? draft.fields : {};
  const before = typeof was === "object" && "fields" in was ? was.fields : undefined;
  return (
    <fieldset class="group">
      <legend>{field.title ?? name}</legend>
      <Hint text={field.description} />
      <Fields
        fields={field.fields}
        drafts={drafts}
        was={before}
        path={path}
        mistakes={mistakes}
        onChange={(fields) => onChange({ fields })}
      />
    </fieldset>
  );
}

function ListField({
  name,
  path,
  field,
  draft,
  was,
  mistakes,
  onChange,
}: FieldProps & { field: FieldModel & { type: "list" } }) {
  const items = typeof draft === "object" && "items" in draft ? draft.items : [];
  const before = typeof was === "object" && "items" in was ? was.items : undefined;
  const title = field.title ?? name;
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <Hint text={field.description} />
      {items.map((item, index) => (
        <div key={index} class="item">
          <Field
            name={`${title} ${index + 1}`}
            path={`${path}.${index}`}
            field={field.item}
            draft={item}
            was={before?.[index]}
            isRequired
            mistakes={mistakes}
            onChange={(changed) => onChange({ items: items.with(index, changed) })}
          />
          <button
            type="button"
            class="btn quiet sm"
            aria-label={`Remove ${title} ${index + 1}`}
            onClick={() => onChange({ items: items.toSpliced(index, 1) })}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          class="btn sm"
          onClick={() => onChange({ items: [...items, draftOf(field.item, field.item.initial)] })}
        >
          Add
        </button>
      </div>
      <Mistakes path={path} mistakes={mistakes} id={undefined} />
    </fieldset>
  );
}

function VariantField(props: FieldProps & { field: FieldModel & { type: "variants" } }) {
  const { name, path, field, draft, was, isRequired, mistakes, onChange } = props;
  const chosen = typeof draft === "object" && "variant" in draft ? draft : { variant: 0, draft: undefined };
  const before = typeof was === "object" && "variant" in was && was.variant === chosen.variant ? was.draft : undefined;
  const inner = field.variants[chosen.variant];
  const title = field.title ?? name;
  const group = useId();
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <Hint text={field.description} />
      <div class="choice">
        {field.variants.map((variant, index) => (
          <label key={index}>
            <input
              type="radio"
              name={group}
              checked={chosen.variant === index}
              onChange={() => onChange({ variant: index, draft: draftOf(variant, variant.initial) })}
            />
            <span>{variant.title ?? nameOf(variant)}</span>
          </label>
        ))}
      </div>
      {inner !== undefined && (
        <Field
          name={inner.title ?? nameOf(inner)}
          path={path}
          field={inner}
          draft={chosen.draft}
          was={before}
          isRequired={isRequired}
          mistakes={mistakes}
          onChange={(changed) => onChange({ variant: chosen.variant, draft: changed })}
        />
      )}
    </fieldset>
  );
}

function nameOf(field: FieldModel): string {
  if (field.type === "constant") return String(field.value);
  return { switch: "yes or no", json: "JSON", variants: "choice" }[field.type as string] ?? field.type;
}

function SwitchField({ name, field, draft, was, onChange, path, mistakes }: FieldProps) {
  const id = useId();
  const isChanged = was !== undefined && was !== draft;
  return (
    <div class={`field${isChanged ? " changed" : ""}`}>
      <label class="switch">
        <input
          type="checkbox"
          checked={draft === true}
          aria-describedby={id}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {field.title ?? name}
        <span class="hint">
          <SafeText text={field.description ?? ""} />
        </span>
      </label>
      {isChanged && <Was was={was} onChange={onChange} />}
      <Mistakes path={path} mistakes={mistakes} id={id} />
    </div>
  );
}

function LineField(props: FieldProps) {
  const { name, path, field, draft, was, isRequired, isNarrow = false, mistakes, onChange } = props;
  const id = useId();
  const isChanged = was !== undefined && JSON.stringify(was) !== JSON.stringify(draft);
  const isWrong = mistakes.some((mistake) => mistake.path === path);
  const title = field.title ?? name;
  const isGroup = field.type === "choice" && field.values.length <= 4 && !isNarrow;
  return (
    <div class={`field${isChanged ? " changed" : ""}`}>
      {isGroup ? (
        <span class="field-title">
          <span id={`${id}-title`}>
            <SafeText text={title} hasLinks={false} />
          </span>
          {!isRequired && <span class="optional">optional</span>}
          {!isRequired && draft !== undefined && (
            <button type="button" class="link" onClick={() => onChange(undefined)}>
              clear
            </button>
          )}
        </span>
      ) : (
        <label for={id}>
          <SafeText text={title} hasLinks={false} />
          {!isRequired && <span class="optional">optional</span>}
        </label>
      )}
      <Control {...props} id={id} isGroup={isGroup} isWrong={isWrong} />
      {isWrong ? (
        <Mistakes path={path} mistakes={mistakes} id={`${id}-hint`} />
      ) : isChanged ? (
        <Was was={was} onChange={onChange} id={`${id}-hint`} />
      ) : (
        <Hint text={field.description} id={`${id}-hint`} />
      )}
    </div>
  );
}

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly isGroup: boolean;
  readonly isWrong: boolean;
}

function Control({ id, field, draft, isRequired, isGroup, isWrong, onChange }: ControlProps) {
  const text = typeof draft === "string" ? draft : "";
  const common = { id, "aria-describedby": `${id}-hint`, "aria-invalid": isWrong, "aria-required": isRequired };
  if (field.type === "choice") {
    const chosen = typeof draft === "object" && "chosen" in draft ? field.values.indexOf(draft.chosen) : -1;
    if (isGroup) {
      return (
        <div class="choice" role="radiogroup" aria-labelledby={`${id}-title`}>
          {field.values.map((value, index) => (
            <label key={index}>
              <input type="radio" name={id} checked={chosen === index} onChange={() => onChange({ chosen: value })} />
              <span>{wordOf(value)}</span>
            </label>
          ))}
        </div>
      );
    }
    return (
      <select
        {...common}
        value={String(chosen)}
        onChange={({ currentTarget }) => {
          const index = Number(currentTarget.value);
          onChange(index < 0 ? undefined : { chosen: field.values[index] });
        }}
      >
        {(chosen < 0 || !isRequired) && <option value="-1" />}
        {field.values.map((value, index) => (
          <option key={index} value={String(index)}>
            {wordOf(value)}
          </option>
        ))}
      </select>
    );
  }
  const input = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void =>
    onChange(currentTarget.value === "" ? undefined : currentTarget.value);
  if (field.type === "json") {
    return <textarea {...common} class="code" rows={4} spellcheck={false} value={text} onInput={input} />;
  }
  if (field.type === "number") {
    const mode = field.isInteger ? "numeric" : "decimal";
    return <input {...common} type="text" class="num" inputMode={mode} value={text} onInput={input} />;
  }
  const format = field.type === "text" ? field.format : undefined;
  const isLong = field.type === "text" && format === undefined && ((field.limits.max ?? 0) > 80 || text.length > 40);
  if (isLong || text.includes("\n")) return <textarea {...common} rows={2} value={text} onInput={input} />;
  const kind = dateInput(format);
  if (kind === undefined) return <input {...common} type="text" value={text} onInput={input} />;
  return <input {...common} type={kind} value={shownDate(text, format)} onInput={input} />;
}

function dateInput(format: string | undefined): "date" | "datetime-local" | "time" | undefined {
  switch (format) {
    case "date":
    case "time":
      return format;
    case "date-time":
      return "datetime-local";
    default:
      return undefined;
  }
}

/** A browser's field for a time takes neither seconds' fractions nor zones. */
function shownDate(text: string, format: string | undefined): string {
  if (format !== "date-time" || !/[zZ+]/.test(text) || !Number.isFinite(Date.parse(text))) return text;
  const date = new Date(text);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("_", " ") : value === null ? "none" : String(value);
}

function Hint({ text, id }: { readonly text: string | undefined; readonly id?: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span class="hint" id={id}>
      <SafeText text={text} />
    </span>
  );
}

function Was({ was, onChange, id }: { readonly was: Draft; readonly id?: string; onChange(draft: Draft): void }) {
  const text =
    typeof was === "object" && "chosen" in was
      ? wordOf(was.chosen)
      : typeof was === "boolean"
        ? was
          ? "on"
          : "off"
        : String(was);
  return (
    <span class="was num" id={id}>
      was <SafeText text={text.length > 60 ? `${text.slice(0, 59)}…` : text} hasLinks={false} />
      <button type="button" class="link" onClick={() => onChange(was)}>
        undo
      </button>
    </span>
  );
}

function Mistakes({ path, mistakes, id }: { path: string; mistakes: readonly Mistake[]; id: string | undefined }) {
  const own = mistakes.filter((mistake) => mistake.path === path);
  if (own.length === 0) return null;
  return (
    <span class="err" role="alert" id={id}>
      {own.map(({ message }) => message).join(" ")}
    </span>
  );
}
