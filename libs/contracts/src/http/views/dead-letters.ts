import { z } from 'zod';
import { list, view } from '../view.ts';

export const deadLetterView = view(
  'DeadLetterView',
  {
    id: z.string(),
    topic: z.string(),
    group: z.string(),
    key: z.string(),
    work: z.unknown(),
    attempts: z.number(),
    error: z.string(),
    failedAt: z.string(),
  },
  'A failed job. `work` describes the job with ids, never contents. `key` is `<tenant>/<document or scope>`.',
);
export type DeadLetterView = z.infer<typeof deadLetterView>;

export const deadLetterList = view('DeadLetterList', { deadLetters: list(deadLetterView) });
export type DeadLetterList = z.infer<typeof deadLetterList>;

export const deadLetterQueued = view(
  'DeadLetterQueued',
  { id: z.string(), status: z.literal('queued') },
  'The message is back in its queue, and its attempts are reset.',
);
export type DeadLetterQueued = z.infer<typeof deadLetterQueued>;
