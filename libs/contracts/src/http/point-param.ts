import { z } from 'zod';
import { PATTERNS } from '@palimpsest/knowledge/texts';
import { position, type Position } from '@palimpsest/knowledge/values';

/** A place in the history: a position of the log, or a time in milliseconds since 1970. */
export type Point = Readonly<{ position: Position }> | Readonly<{ time: number }>;

const POSITION = new RegExp(PATTERNS.position);
const TIME = z.iso.datetime({ offset: true });
const MAX_CHARACTERS = 40;

/** For JSON schemas; the parser also refuses days that do not exist. */
const PATTERN = `${PATTERNS.position}|^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$`;

/** A query parameter that takes a position or a time. */
export const pointParam = (about: string) =>
  z
    .string()
    .max(MAX_CHARACTERS)
    .meta({ pattern: PATTERN })
    .describe(`${about}: a position, or a time in RFC 3339`)
    .transform((raw, context): Point => {
      if (POSITION.test(raw)) return { position: position(raw) };
      if (TIME.safeParse(raw).success) return { time: Date.parse(raw) };
      context.addIssue({ code: 'custom', message: 'expected a position, or a time like 2026-11-01T09:00:00Z' });
      return z.NEVER;
    })
    .exactOptional();
