import { ProblemError } from '@palimpsest/client';
import type { KnowledgeBaseView } from '@palimpsest/client';

type Fields = NonNullable<KnowledgeBaseView['fields']>;
export type FieldType = Fields[string];
/** A declared field as entered. */
export type FieldRow = Readonly<{ name: string; type: FieldType }>;

export const FIELD_TYPES: readonly FieldType[] = ['keyword', 'keywords', 'number', 'date', 'boolean'];

export const NEW_ROW: FieldRow = { name: '', type: 'keyword' };

export const rowsOf = (fields: Fields = {}): readonly FieldRow[] => Object.entries(fields).map(([name, type]) => ({ name, type }));

/** `null`: none. */
export const fieldsIn = (rows: readonly FieldRow[]): Fields | null =>
  rows.length === 0 ? null : Object.fromEntries(rows.map(({ name, type }) => [name.trim(), type]));

/** The names of several rows. They cannot be sent: an object has each name once. */
export const repeatedNames = (rows: readonly FieldRow[]): readonly string[] => {
  const names = rows.map(({ name }) => name.trim()).filter((name) => name !== '');
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
};

/** What the server refuses in declared fields. */
export const fieldsProblem = (error: unknown): string | undefined => {
  if (!(error instanceof ProblemError)) return undefined;
  const { field = '', expected = 'valid' } = error;
  if (field === 'fields') return `Must be ${expected}.`;
  return field.startsWith('fields.') ? `${field.slice('fields.'.length)} must be ${expected}.` : undefined;
};
