import { z } from 'zod';
import { wire } from '../schemas/values.ts';

/** A number in a query is sent as a string. */
export const limit = (max: number, byDefault: number) => z.coerce.number<number>().int().min(1).max(max).default(byDefault);

/** `true` or `false`, by default `false`. */
export const flag = (about: string) =>
  z
    .enum(['true', 'false'])
    .default('false')
    .transform((given) => given === 'true')
    .describe(about);

/** A moment in the past. */
export const asOf = wire.asOf
  .exactOptional()
  .describe(
    'what the platform would have returned at a position, or at a time (RFC 3339, with the offset from UTC): a decimal string, or `2026-11-20T09:30:00Z`',
  );

/** Where a live stream starts. */
export const startAfter = {
  after: wire.position.describe('the position to start after; the header Last-Event-ID takes precedence').exactOptional(),
};

export const lastEventId = (what: string) =>
  z.object({ 'Last-Event-ID': z.string().describe(`position of the last ${what} that the client received`).exactOptional() });

/** The version that the caller knows; undefined for `*`. `min`: 0 if it may also say that there is none. */
export const ifMatch = (what: string, min: 0 | 1) => {
  const version = min === 0 ? '0|[1-9][0-9]{0,8}' : '[1-9][0-9]{0,8}';
  const form = new RegExp(`^"?(${version})"?$`);
  const none = min === 0 ? ', "0" if there is none' : '';
  return z.object({
    'If-Match': z
      .string()
      .meta({ pattern: min === 0 ? `^(\\*|"?(${version})"?)$` : `^(\\*|"?${version}"?)$` })
      .describe(`the latest ${what} version that the caller knows, in quotes: "3"${none}; the request is refused if there is a newer one`)
      .transform((given, context): number | undefined => {
        if (given === '*') return undefined;
        const [, known] = form.exec(given.trim()) ?? [];
        if (known !== undefined) return Number(known);
        context.addIssue({ code: 'custom', message: `expected a ${what} version in quotes, like "3"` });
        return z.NEVER;
      })
      .exactOptional(),
  });
};
