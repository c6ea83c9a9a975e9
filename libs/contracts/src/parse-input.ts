import type { z } from 'zod';
import { InvalidValue, type KnowledgeError } from '@palimpsest/knowledge';
import { expectedOf } from './expected.ts';

/**
 * Reads untrusted input by a schema. The first thing that is wrong is told with its path, what was expected and what came.
 * @throws InvalidValue
 */
export const parseInput = <Out>(schema: z.ZodType<Out>, raw: unknown, at = ''): Out => {
  // Where a schema does not say it itself.
  const parsed = schema.safeParse(raw, { error: (issue) => `expected ${expectedOf(issue)}` });
  if (parsed.success) return parsed.data;
  throw asInvalidValue(parsed.error, raw, at);
};

type Issue = z.core.$ZodIssue;
type Told = Readonly<{ path: readonly PropertyKey[]; expected: string }>;

const asInvalidValue = (error: z.ZodError, raw: unknown, at: string): KnowledgeError => {
  // A name that is not known is told first: it is most likely the misspelt one that is then found missing.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const { path, expected } = issue ? told(issue) : { path: [], expected: 'a valid value' };
  const got = issue?.code === 'unrecognized_keys' ? issue.keys[0] : valueAt(raw, path);
  return new InvalidValue(nameOf(path, at) || 'body', expected, got);
};

const told = (issue: Issue): Told => {
  if (issue.code === 'unrecognized_keys') return { path: [...issue.path, ...issue.keys.slice(0, 1)], expected: 'no such field' };
  if (issue.code === 'invalid_union') return ofUnion(issue);
  // What is wrong with a key of a record is told of the key.
  const [ofKey] = issue.code === 'invalid_key' || issue.code === 'invalid_element' ? issue.issues : [];
  if (ofKey) return { path: [...issue.path, ...ofKey.path], expected: told(ofKey).expected };
  return { path: issue.path, expected: withoutField(issue.message) };
};

/** Of the forms that were possible, the one that fitted furthest tells what is wrong; if several did, all of them do. */
const ofUnion = ({ path, errors }: Extract<Issue, { code: 'invalid_union' }>): Told => {
  const forms = errors.flatMap(([first]) => (first ? [told(first)] : []));
  const furthest = forms.filter((form) => form.path.length === Math.max(...forms.map((other) => other.path.length)));
  const [one, ...others] = furthest;
  if (one && others.length === 0) return { path: [...path, ...one.path], expected: one.expected };
  const each = furthest.map((form) => (form.path.length === 0 ? form.expected : `${nameOf(form.path, '')}: ${form.expected}`));
  return { path, expected: [...new Set(each)].join(', or ') || 'a valid value' };
};

const nameOf = (path: readonly PropertyKey[], at: string): string =>
  path.reduce<string>((name, step) => (typeof step === 'number' ? `${name}[${step}]` : name ? `${name}.${String(step)}` : String(step)), at);

const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], raw);

/** Our own schemas say "expected …", the domain's own parsers "scope: expected …, got …". */
const withoutField = (message: string): string => /^(?:[^ ]+: )?expected (.*?)(?:, got .*)?$/s.exec(message)?.[1] ?? message;
