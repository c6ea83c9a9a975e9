import type { z } from 'zod';

/** The stores would not return a lone surrogate unchanged. */
const EXPECTED = 'expected well-formed Unicode, without lone surrogates';

export const wellFormed = <Schema extends z.ZodType<string>>(schema: Schema) => schema.refine((text) => text.isWellFormed(), EXPECTED);

/** The same for each value of a record. */
export const wellFormedValues = <Schema extends z.ZodType<Readonly<Record<string, string>>>>(schema: Schema) =>
  schema.superRefine((record, context) => {
    for (const [name, text] of Object.entries(record))
      if (!text.isWellFormed()) context.addIssue({ code: 'custom', path: [name], message: EXPECTED });
  });
