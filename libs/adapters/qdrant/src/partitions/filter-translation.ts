import type { Schemas } from '@qdrant/js-client-rest';
import type { Filter } from '@palimpsest/knowledge/access';
import { unreachable } from '@palimpsest/knowledge/errors';
import { fieldToken, valueToken } from './attribute-payload.ts';
import type { PartitionSeal } from './partition-seal.ts';

type Condition = Schemas['Condition'];

/**
 * `condition` matches everything that the filter matches; `true` for everything, `false` for nothing. `exact`: it matches nothing
 * else. Otherwise the results must be checked again.
 */
export type Translation = Readonly<{ condition: Condition | boolean; exact: boolean }>;

export const translate = (filter: Filter, seal: PartitionSeal): Translation => ({
  condition: bound(filter, 'above', seal),
  exact: isExact(filter),
});

/** A bound from above matches everything that satisfies the filter, one from below nothing else. If tokens can express it, they are equal. */
type Side = 'above' | 'below';

const bound = (filter: Filter, side: Side, seal: PartitionSeal): Condition | boolean => {
  if ('and' in filter) return all(filter.and.map((part) => bound(part, side, seal)));
  if ('or' in filter) return any(filter.or.map((part) => bound(part, side, seal)));
  if ('not' in filter) return no(bound(filter.not, side === 'above' ? 'below' : 'above', seal));
  if ('eq' in filter && filter.eq.as === undefined) return held(valueToken(seal, filter.eq.field, filter.eq.value));
  if ('in' in filter && filter.in.as === undefined)
    return { key: 'has', match: { any: filter.in.values.map((value) => valueToken(seal, filter.in.field, value)) } };
  if ('exists' in filter) return held(fieldToken(seal, filter.exists.field));
  // Tokens have no order, no beginnings and no types: all chunks with the field are candidates.
  if ('prefix' in filter) return holding(filter.prefix.field, side, seal);
  if ('range' in filter) return rangeBound(filter.range, side, seal);
  if ('eq' in filter) return holding(filter.eq.field, side, seal);
  if ('in' in filter) return holding(filter.in.field, side, seal);
  return unreachable(filter);
};

type Range = Extract<Filter, { range: unknown }>['range'];

const boundsOf = ({ gt, gte, lt, lte }: Range) => [gt, gte, lt, lte].filter((value) => value !== undefined);

/** Two bounds of different types: no value is comparable with both. */
const isEmptyRange = (range: Range): boolean => range.as === undefined && new Set(boundsOf(range).map((value) => typeof value)).size > 1;

const rangeBound = (range: Range, side: Side, seal: PartitionSeal): Condition | boolean => {
  if (isEmptyRange(range)) return false;
  return boundsOf(range).length === 0 ? held(fieldToken(seal, range.field)) : holding(range.field, side, seal);
};

const isExact = (filter: Filter): boolean => {
  if ('and' in filter) return filter.and.every(isExact);
  if ('or' in filter) return filter.or.every(isExact);
  if ('not' in filter) return isExact(filter.not);
  if ('prefix' in filter) return false;
  if ('eq' in filter) return filter.eq.as === undefined;
  if ('in' in filter) return filter.in.as === undefined;
  return !('range' in filter) || isEmptyRange(filter.range) || boundsOf(filter.range).length === 0;
};

const holding = (field: string, side: Side, seal: PartitionSeal): Condition | boolean => side === 'above' && held(fieldToken(seal, field));

const held = (token: string): Condition => ({ key: 'has', match: { value: token } });

const all = (parts: readonly (Condition | boolean)[]): Condition | boolean => {
  if (parts.includes(false)) return false;
  const conditions = parts.filter((part): part is Condition => part !== true);
  return conditions.length === 0 || { must: conditions };
};

const any = (parts: readonly (Condition | boolean)[]): Condition | boolean => {
  if (parts.includes(true)) return true;
  const conditions = parts.filter((part): part is Condition => part !== false);
  return conditions.length > 0 && { should: conditions };
};

const no = (part: Condition | boolean): Condition | boolean => (typeof part === 'boolean' ? !part : { must_not: [part] });
