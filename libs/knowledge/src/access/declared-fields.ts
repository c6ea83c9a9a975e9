import { InvalidValue, unreachable } from '../errors.ts';
import type { StrategyInUse } from '../events/strategy-events.ts';
import { comparable, EXPECTED_TYPES, typeIn, type Fields, type FieldType } from '../values/fields.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import { fieldsIn, type Filter } from './filter.ts';

/** A knowledge base that is searched, and what it declares. */
export type DeclaredFields = Readonly<{ id: KnowledgeBaseId; fields?: Fields; strategy?: StrategyInUse }>;

/** Fields that every document has, always as text. */
export const OWN_FIELDS: readonly string[] = ['documentId', 'knowledgeBase', 'source', 'title', 'mediaType', 'language', 'origin'];

/** Names that an error lists. */
const NAMED = 30;

/** No document satisfies it. */
const NOTHING: Filter = { or: [] };

type Condition = Exclude<Filter, { and: unknown } | { or: unknown } | { not: unknown }>;

/** Whether the filter names fields whose type depends on the knowledge base. */
export const needsDeclarations = (filter: Filter): boolean => fieldsIn(filter).some((name) => !OWN_FIELDS.includes(name));

/**
 * Refuses a filter that can only be a mistake.
 * @throws InvalidValue for a field that none of them declares, if all of them declare fields; for a value of another type than is declared
 */
export const checkFilter = (filter: Filter, bases: readonly DeclaredFields[]): void => {
  if (bases.length === 0) return;
  for (const condition of conditionsIn(filter)) {
    const name = fieldOf(condition);
    if (OWN_FIELDS.includes(name)) continue;
    refuseUndeclared(name, bases);
    refuseOtherType(condition, bases);
  }
};

/**
 * The filter that compares each field by the type that the knowledge base of a document declares. A knowledge base that does not declare
 * it compares values as they are.
 */
export const asDeclared = (filter: Filter, bases: readonly DeclaredFields[]): Filter => {
  if ('and' in filter) return { and: filter.and.map((part) => asDeclared(part, bases)) };
  if ('or' in filter) return { or: filter.or.map((part) => asDeclared(part, bases)) };
  if ('not' in filter) return { not: asDeclared(filter.not, bases) };
  if ('exists' in filter) return filter;
  const ofTypes = [...Map.groupBy(bases, ({ fields }) => typeIn(fields, fieldOf(filter)))];
  const [first, ...others] = ofTypes;
  if (first === undefined || others.length === 0) return compared(filter, first?.[0]);
  return { or: ofTypes.map(([type, group]) => ({ and: [among(group), compared(filter, type)] })) };
};

const among = (bases: readonly DeclaredFields[]): Filter => ({ in: { field: 'knowledgeBase', values: bases.map(({ id }) => id) } });

const compared = (condition: Condition, as: FieldType | undefined): Filter => {
  if (as === undefined || as === 'keyword' || 'exists' in condition) return condition;
  if ('eq' in condition) return { eq: { ...condition.eq, as } };
  if ('in' in condition) return { in: { ...condition.in, as } };
  if ('range' in condition) return as === 'keywords' ? NOTHING : { range: { ...condition.range, as } };
  if ('prefix' in condition) return as === 'keywords' ? { prefix: { ...condition.prefix, as } } : NOTHING;
  return unreachable(condition);
};

const conditionsIn = (filter: Filter): readonly Condition[] => {
  if ('and' in filter) return filter.and.flatMap(conditionsIn);
  if ('or' in filter) return filter.or.flatMap(conditionsIn);
  return 'not' in filter ? conditionsIn(filter.not) : [filter];
};

const fieldOf = (condition: Condition): string => fieldsIn(condition)[0] ?? '';

const refuseUndeclared = (name: string, bases: readonly DeclaredFields[]): void => {
  if (bases.some(({ fields }) => fields === undefined || typeIn(fields, name) !== undefined)) return;
  const known = [...new Set(bases.flatMap(({ fields = {} }) => Object.keys(fields)))].sort();
  const more = known.length > NAMED ? [`${known.length - NAMED} more`] : [];
  const listed = [...known.slice(0, NAMED), ...more, ...OWN_FIELDS].join(', ');
  throw new InvalidValue('filter', `a field that the knowledge base declares (${listed})`, name);
};

const refuseOtherType = (condition: Condition, bases: readonly DeclaredFields[]): void => {
  const name = fieldOf(condition);
  if (bases.some(({ fields }) => fields === undefined)) return;
  const declared = [...new Set(bases.map(({ fields }) => typeIn(fields, name)))].filter((type) => type !== undefined);
  const [operator = '', asIs] = [Object.keys(condition)[0], `${name}, which is declared as ${declared.join(' or ')}`];
  const types = declared.filter((type) => WITHOUT[operator]?.includes(type) !== true);
  if (types.length === 0) throw new InvalidValue('filter', `no ${operator} of ${asIs}`, valuesOf(condition)[0]);
  for (const value of valuesOf(condition))
    if (types.every((type) => comparable(type, value) === undefined))
      throw new InvalidValue('filter', `${types.map(expectedValue).join(' or ')} for ${asIs}`, value);
};

/** Types that an operator says nothing about. */
const WITHOUT: Readonly<Record<string, readonly FieldType[]>> = { prefix: ['number', 'date', 'boolean'], range: ['keywords'] };

/** A condition names one keyword of a list. */
const expectedValue = (type: FieldType): string => EXPECTED_TYPES[type === 'keywords' ? 'keyword' : type];

const valuesOf = (condition: Condition) => {
  if ('eq' in condition) return [condition.eq.value];
  if ('in' in condition) return condition.in.values;
  if ('prefix' in condition) return [condition.prefix.value];
  if ('range' in condition) {
    const { gt, gte, lt, lte } = condition.range;
    return [gt, gte, lt, lte].filter((bound) => bound !== undefined);
  }
  return [];
};
