import type { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { expectedOf } from './expected.ts';

/**
 * Validates untrusted input with a schema. Reports the first error with its path, the expected value and the given one.
 * @throws InvalidValue
 */
export const parseInput = <Out>(schema: z.ZodType<Out>, raw: unknown, at = ''): Out => {
  // For schemas without a message of their own.
  const parsed = schema.safeParse(raw, { error: (issue) => `expected ${expectedOf(issue)}` });
  if (parsed.success) return parsed.data;
  throw asInvalidValue(parsed.error, raw, at);
};

/**
 * Parses the parameters of a path. A parameter is reported under the name that the domain gives its value, since `{id}` says little.
 * @throws InvalidValue
 */
export const parsePath = <Out>(schema: z.ZodType<Out>, raw: unknown): Out => {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const { field, expected } = asInvalidValue(parsed.error, raw, '');
  const [issue] = parsed.error.issues;
  const named: unknown = issue?.code === 'custom' ? issue.params?.['field'] : undefined;
  throw new InvalidValue(typeof named === 'string' ? named : field, expected, valueAt(raw, issue?.path ?? []));
};

type Issue = z.core.$ZodIssue;
type Mismatch = Readonly<{ path: readonly PropertyKey[]; expected: string }>;

const asInvalidValue = (error: z.ZodError, raw: unknown, at: string): InvalidValue => {
  // Unknown fields are reported first: an unknown field is usually the misspelt name of a missing one.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const { path, expected } = issue ? mismatchOf(issue) : { path: [], expected: 'a valid value' };
  const got = issue?.code === 'unrecognized_keys' ? issue.keys[0] : valueAt(raw, path);
  return new InvalidValue(nameOf(path, at) || 'body', expected, got);
};

const mismatchOf = (issue: Issue): Mismatch => {
  if (issue.code === 'unrecognized_keys') return { path: [...issue.path, ...issue.keys.slice(0, 1)], expected: 'a known field' };
  if (issue.code === 'invalid_union') return ofUnion(issue);
  // An invalid key of a record is reported with the path of the key.
  const [ofKey] = issue.code === 'invalid_key' || issue.code === 'invalid_element' ? issue.issues : [];
  if (ofKey) return { path: [...issue.path, ...ofKey.path], expected: mismatchOf(ofKey).expected };
  return { path: issue.path, expected: withoutField(issue.message) };
};

/** Reports the error of the union member that matched furthest; if several did, the errors of all of them. */
const ofUnion = ({ path, errors }: Extract<Issue, { code: 'invalid_union' }>): Mismatch => {
  const forms = errors.flatMap(([first]) => (first ? [mismatchOf(first)] : []));
  const furthest = forms.filter((form) => form.path.length === Math.max(...forms.map((other) => other.path.length)));
  const [one, ...others] = furthest;
  if (one && others.length === 0) return { path: [...path, ...one.path], expected: one.expected };
  const each = furthest.map((form) => (form.path.length === 0 ? form.expected : `${nameOf(form.path, '')}: ${form.expected}`));
  return { path, expected: [...new Set(each)].join(', or ') || 'a valid value' };
};

const nameOf = (path: readonly PropertyKey[], at: string): string =>
  path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name ? `${name}.${String(step)}` : String(step)),
    at,
  );

const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], raw);

/** Our schemas give "expected …", the domain parsers "scope: expected …, got …". */
const withoutField = (message: string): string => /^(?:[^ ]+: )?expected (.*?)(?:, got .*)?$/s.exec(message)?.[1] ?? message;
