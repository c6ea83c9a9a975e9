import { InvalidValue } from '../errors.ts';
import { labels, type Labels } from '../values/labels.ts';
import type { Filter } from './filter.ts';

/** Labels that an API key requires, with the values that satisfy it: the caller sees and changes only documents that have one of each. */
export type RequiredLabels = Readonly<Record<string, readonly string[]>>;

/** Every document satisfies a key that requires nothing. */
export const satisfies = (held: Labels, required: RequiredLabels = {}): boolean =>
  Object.entries(required).every(([name, values]) => {
    const value = Object.hasOwn(held, name) ? held[name] : undefined;
    return value !== undefined && values.includes(value);
  });

/** The same as a filter, for searches of the indexes. Labels are compared as text, whatever a knowledge base declares. */
export const conditionsOf = (required: RequiredLabels = {}): readonly Filter[] =>
  Object.entries(required).map(([name, values]) => ({ in: { field: `label.${name}`, values } }));

/**
 * The labels of a document that a caller adds or replaces. A label that is missing is added if the key allows only one value.
 * @throws InvalidValue naming the first label that does not satisfy the key
 */
export const labelsFor = (given: Labels, required: RequiredLabels | undefined): Labels => {
  if (required === undefined) return given;
  const completed = { ...given };
  for (const [name, values] of Object.entries(required)) {
    const [only, ...others] = values;
    if (!Object.hasOwn(given, name) && only !== undefined && others.length === 0) completed[name] = only;
    if (!satisfies(completed, { [name]: values }))
      throw new InvalidValue(
        `labels.${name}`,
        `${inWords(values)}, as the API key requires`,
        Object.hasOwn(given, name) ? given[name] : undefined,
      );
  }
  return labels(completed);
};

/** For messages: `department=hr`, or with several values `department=hr|legal`. */
export const describeLabels = (required: RequiredLabels): string =>
  Object.entries(required)
    .map(([name, values]) => `${name}=${values.join('|')}`)
    .join(', ');

const inWords = (values: readonly string[]): string =>
  `${values.length > 1 ? 'one of ' : ''}${values.map((value) => JSON.stringify(value)).join(', ')}`;
