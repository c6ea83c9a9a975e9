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

/** Where a live stream starts. */
export const startAfter = {
  after: wire.position.describe('the position to start after; the header Last-Event-ID takes precedence').exactOptional(),
};

export const lastEventId = (what: string) =>
  z.object({ 'Last-Event-ID': z.string().describe(`position of the last ${what} that the client received`).exactOptional() });
