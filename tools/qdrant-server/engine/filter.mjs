import { parsePath, valuesAt } from './payload-path.mjs';
import { pointId } from './point-ids.mjs';
import { badFormat, invalid, isSet, onlyFields } from './refusal.mjs';

const list = (value) => (Array.isArray(value) ? value : [value]);

/**
 * A filter as a predicate on points (`id`, `payload`), with the keyword conditions that must all match, for the index.
 * `alone`: it consists of exactly one such condition.
 * @returns {{ test: (point: { id: unknown, payload: object }) => boolean, keywords: { key: string, values: string[] }[], ids?: unknown[], alone: boolean }}
 */
export const compileFilter = (raw) => {
  if (!isSet(raw)) return { test: () => true, keywords: [], alone: false };
  const {
    must,
    should,
    must_not: mustNot,
    min_should: minShould,
  } = onlyFields(raw, 'filter', ['must', 'should', 'must_not', 'min_should']);
  const all = isSet(must) ? list(must).map(compileCondition) : [];
  const none = isSet(mustNot) ? list(mustNot).map(compileCondition) : [];
  const any = isSet(should) ? list(should).map(compileCondition) : [];
  const enough = isSet(minShould) ? compileMinShould(minShould) : () => true;
  const test = (point) =>
    all.every((one) => one.test(point)) &&
    !none.some((one) => one.test(point)) &&
    (any.length === 0 || any.some((one) => one.test(point))) &&
    enough(point);
  const keywords = all.flatMap((one) => one.keywords ?? []);
  const alone = all.length === 1 && keywords.length === 1 && none.length + any.length === 0 && !isSet(minShould);
  return { test, keywords, ids: all.find((one) => one.ids !== undefined)?.ids, alone };
};

const compileMinShould = (raw) => {
  const { conditions, min_count: min } = onlyFields(raw, 'min_should', ['conditions', 'min_count']);
  const tests = conditions.map(compileCondition);
  return (point) => tests.filter((one) => one.test(point)).length >= min;
};

const compileCondition = (raw) => {
  if (typeof raw !== 'object' || raw === null) throw badFormat('data did not match any variant of untagged enum Condition');
  if ('key' in raw) return compileField(raw);
  if ('has_id' in raw) {
    const ids = new Set(onlyFields(raw, 'condition', ['has_id']).has_id.map(pointId));
    return { test: ({ id }) => ids.has(id), ids: [...ids] };
  }
  if ('is_empty' in raw) {
    const steps = parsePath(onlyFields(raw, 'condition', ['is_empty']).is_empty.key);
    return { test: ({ payload }) => valuesAt(payload, steps).every((value) => value === null) };
  }
  if ('is_null' in raw) {
    const steps = parsePath(onlyFields(raw, 'condition', ['is_null']).is_null.key);
    return { test: ({ payload }) => valuesAt(payload, steps).some((value) => value === null) };
  }
  return compileFilter(raw);
};

const compileField = (raw) => {
  const { key, match, range } = onlyFields(raw, 'condition', ['key', 'match', 'range']);
  const steps = parsePath(key);
  if (!isSet(match) && !isSet(range)) throw invalid('At least one field condition must be specified');
  // A real server accepts both together. Our adapters never send that, and its meaning is not documented.
  if (isSet(match) && isSet(range)) throw badFormat('match and range together are not supported by this test server');
  const fits = isSet(match) ? compileMatch(match) : compileRange(range);
  const keywords = fits.keywords === undefined ? [] : [{ key, values: fits.keywords }];
  return { test: ({ payload }) => valuesAt(payload, steps).some(fits.test), keywords };
};

const isInteger = (value) => typeof value === 'number' && Number.isInteger(value);

/** Values are keywords, integers or booleans, compared by their JSON type; other numbers cannot be matched. */
const compileMatch = (raw) => {
  const { value, any, except } = onlyFields(raw, 'match', ['value', 'any', 'except']);
  if (value !== undefined) {
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isInteger(value))
      throw badFormat('data did not match any variant of untagged enum Condition');
    return { test: (held) => held === value, keywords: typeof value === 'string' ? [value] : undefined };
  }
  const values = any ?? except;
  if (!Array.isArray(values) || !(values.every((one) => typeof one === 'string') || values.every(isInteger)))
    throw badFormat('data did not match any variant of untagged enum Condition');
  const wanted = new Set(values);
  if (any === undefined) return { test: (held) => !wanted.has(held) };
  return { test: (held) => wanted.has(held), keywords: typeof values[0] === 'string' ? values : undefined };
};

const compileRange = (raw) => {
  const { gt, gte, lt, lte } = onlyFields(raw, 'range', ['gt', 'gte', 'lt', 'lte']);
  for (const bound of [gt, gte, lt, lte])
    if (isSet(bound) && typeof bound !== 'number') throw badFormat('range: expected numbers (dates are not supported by this test server)');
  const test = (held) =>
    typeof held === 'number' &&
    (!isSet(gt) || held > gt) &&
    (!isSet(gte) || held >= gte) &&
    (!isSet(lt) || held < lt) &&
    (!isSet(lte) || held <= lte);
  return { test };
};
