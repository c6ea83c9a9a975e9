import { InvalidArgumentError } from 'commander';

/** Parsers for option values. Commander prints their message and exits with a usage error. */
export const wholeNumber =
  (min: number, max: number) =>
  (raw: string): number => {
    const value = Number(raw);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`);
    return value;
  };

export const numberWithin =
  (min: number, max: number) =>
  (raw: string): number => {
    const value = Number(raw);
    if (raw.trim() === '' || !(value >= min && value <= max)) throw new InvalidArgumentError(`Must be a number from ${min} to ${max}.`);
    return value;
  };

/** A number between 0 and 1, without both. */
export const fraction = (raw: string): number => {
  const value = Number(raw);
  if (raw.trim() === '' || !(value > 0 && value < 1)) throw new InvalidArgumentError('Must be a number above 0 and below 1.');
  return value;
};

/** One of a few words. */
export const oneOf =
  (words: readonly string[]) =>
  (raw: string): string => {
    if (!words.includes(raw)) throw new InvalidArgumentError(`Must be ${words.join(', ')}.`);
    return raw;
  };

/** `--limit` of a list that the command reads page by page. */
export const anyLength = wholeNumber(1, 1_000_000);

/** `--concurrency`: number of requests at the same time. */
export const parallel = wholeNumber(1, 64);

/** For options that may be repeated. */
export const collect = (raw: string, before: readonly string[] = []): readonly string[] => [...before, raw];

/** `--label team=red --label year=2026` becomes one record. */
export const label = (raw: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const at = raw.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Must be <name>=<value>.');
  return { ...before, [raw.slice(0, at)]: raw.slice(at + 1) };
};

/** `--require-label team=red --require-label team=blue` becomes one record with both values. */
export const labelValues = (
  raw: string,
  before: Readonly<Record<string, readonly string[]>> = {},
): Readonly<Record<string, readonly string[]>> => {
  const [[name = '', value = ''] = []] = Object.entries(label(raw));
  return { ...before, [name]: [...(before[name] ?? []), value] };
};
