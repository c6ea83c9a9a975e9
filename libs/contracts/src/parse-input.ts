import type { z } from 'zod';
import { InvalidValue, type KnowledgeError } from '@palimpsest/knowledge';

/**
 * Reads untrusted input by a schema. The first thing that is wrong is told with its path, what was expected and what came.
 * @throws InvalidValue
 */
export const parseInput = <Out>(schema: z.ZodType<Out>, raw: unknown, at = ''): Out => {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw asInvalidValue(parsed.error, raw, at);
};

const asInvalidValue = (error: z.ZodError, raw: unknown, at: string): KnowledgeError => {
  // A name that is not known is told first: it is most likely the misspelt one that is then found missing.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const path = issue?.path ?? [];
  const extra = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const steps = extra === undefined ? path : [...path, extra];
  const field = steps.reduce<string>((name, step) => (typeof step === 'number' ? `${name}[${step}]` : name ? `${name}.${String(step)}` : String(step)), at);
  if (extra !== undefined) return new InvalidValue(field || 'body', 'no such field', extra);
  const got = path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step as PropertyKey], raw);
  return new InvalidValue(field || 'body', withoutField(issue?.message ?? 'a valid value'), got);
};

/** Zod says "Invalid input: expected string, received undefined"; the domain's own parsers "scope: expected …, got …". */
const withoutField = (message: string): string =>
  /expected (.*?)(?:, (?:received|got) .*)?$/s.exec(message)?.[1] ?? message.replace(/^Invalid (?:input|option): /, '');
