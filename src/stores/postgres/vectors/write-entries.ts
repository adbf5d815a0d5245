import { unknownVectorEntry } from "../../../rag/vectors/errors.js";
import {
  type DeleteRequest,
  type EntryChange,
  type EntryRow,
  hasStems,
  hasVectors,
} from "../../../rag/vectors/requests.js";
import type { Database } from "../database.js";
import { tooManyTerms } from "../errors.js";
import { Parameters, postgresConditionSql } from "./condition-sql.js";
import type { IndexTable } from "./index-tables.js";
import { english, stemText, termVector } from "./term-vector.js";

/** Writes entries in one statement, so that all are written or none. */
export async function writeEntries(database: Database, index: IndexTable, rows: readonly EntryRow[]): Promise<void> {
  if (rows.length === 0) return;
  const vectors = hasVectors(index.settings);
  await database.query(
    `writing to the index ${index.name}`,
    `INSERT INTO ${index.table} (id, document, metadata, terms${vectors ? ", embedding" : ""})
      SELECT id, document, metadata::jsonb, ${termsSql(index, "terms")}${vectors ? ", embedding::vector" : ""}
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
        AS entries (id, embedding, document, metadata, terms)
      ON CONFLICT (id) DO UPDATE SET document = excluded.document, metadata = excluded.metadata,
        terms = excluded.terms${vectors ? ", embedding = excluded.embedding" : ""}`,
    [
      rows.map(({ id }) => id),
      rows.map(({ vector }) => (vector === undefined ? null : vectorText(vector))),
      rows.map(({ document }) => document),
      rows.map(({ metadata }) => metadata),
      rows.map(({ id, document }) => termsFor(index, id, document)),
    ],
  );
}

export async function changePostgresEntry(database: Database, index: IndexTable, change: EntryChange): Promise<void> {
  const { id, vector, document, metadata } = change;
  const terms = document === undefined ? null : termsFor(index, id, document);
  const { rowCount } = await database.query(
    `changing an entry of the index ${index.name}`,
    `UPDATE ${index.table} SET document = coalesce($2::text, document), metadata = coalesce($3::text::jsonb, metadata),
      terms = coalesce(${termsSql(index, "$4::text")}, terms)${vector === undefined ? "" : ", embedding = $5::text::vector"} WHERE id = $1::text`,
    [id, document ?? null, metadata ?? null, terms, ...(vector === undefined ? [] : [vectorText(vector)])],
  );
  if (rowCount === 0) throw unknownVectorEntry(index.name, id);
}

/** Deletes entries and returns how many there were. */
export async function deletePostgresEntries(
  database: Database,
  { name, table }: IndexTable,
  { ids, condition }: DeleteRequest,
): Promise<number> {
  const parameters = new Parameters();
  const which =
    ids === undefined ? postgresConditionSql(condition, parameters) : `id = ANY(${parameters.add(ids)}::text[])`;
  const text = `DELETE FROM ${table} WHERE ${which}`;
  const { rowCount } = await database.query(`deleting from the index ${name}`, text, parameters.values);
  return rowCount ?? 0;
}

export const vectorText = (vector: Float32Array): string => `[${vector.join(",")}]`;

/** The terms of {@link termsFor} as a tsvector. */
const termsSql = ({ settings }: IndexTable, text: string): string =>
  hasStems(settings) ? `to_tsvector(${english}, ${text})` : `${text}::tsvector`;

function termsFor({ settings }: IndexTable, id: string, document: string): string | null {
  if (!settings.text) return null;
  const terms = termVector(document);
  if (terms === undefined) throw tooManyTerms(id);
  return hasStems(settings) ? stemText(document) : terms;
}
