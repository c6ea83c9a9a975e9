import { z } from 'zod';
import { REQUEST_LIMITS } from '../http/request-limits.ts';

/** The text of a query: of a search, or of a golden set that is searched with later. */
export const queryText = z
  .string()
  .max(REQUEST_LIMITS.query, `expected at most ${REQUEST_LIMITS.query} characters`)
  .refine((text) => text.trim() !== '', 'expected a query that is not empty')
  .refine((text) => text.isWellFormed(), 'expected well-formed Unicode, without lone surrogates');
