import { badFormat } from './refusal.mjs';

const STEP = /(?:^|\.)(?:"([^"]*)"|([A-Za-z0-9_-]+))|\[(\d*)\]/y;

/** `a.b`, `"a.b"`, `a[]`, `a[0]` as steps: names, numbers, or `[]`. */
export const parsePath = (key) => {
  if (typeof key !== 'string') throw badFormat('key: expected a string');
  const steps = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < key.length) {
    const match = STEP.exec(key);
    if (match === null) throw badFormat(`Invalid json path: '${key}'`);
    const [, quoted, name, index] = match;
    steps.push(quoted ?? name ?? (index === '' ? '[]' : Number(index)));
  }
  if (steps.length === 0) throw badFormat(`Invalid json path: '${key}'`);
  return steps;
};

/** Every value at the path; an array at its end is replaced by its elements. */
export const valuesAt = (payload, steps) => {
  let found = [payload];
  for (const step of steps)
    found = found.flatMap((value) => {
      if (step === '[]') return Array.isArray(value) ? value : [];
      if (typeof step === 'number') return Array.isArray(value) && step < value.length ? [value[step]] : [];
      return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, step) ? [value[step]] : [];
    });
  return found.flatMap((value) => (Array.isArray(value) ? value : [value]));
};

/** `with_payload`: all, none, or some keys. */
export const selectPayload = (selector) => {
  if (selector === true) return (payload) => payload;
  if (selector === false || selector === undefined || selector === null) return () => undefined;
  const include = Array.isArray(selector) ? selector : selector.include;
  const keys = (include ?? selector.exclude)?.map(parsePath);
  if (keys === undefined) throw badFormat('with_payload: expected true, false, a list, include or exclude');
  if (keys.some((steps) => steps.length !== 1)) throw badFormat('with_payload: nested keys are not supported by this test server');
  const names = new Set(keys.map(([name]) => name));
  return (payload) => Object.fromEntries(Object.entries(payload).filter(([name]) => names.has(name) === (include !== undefined)));
};
