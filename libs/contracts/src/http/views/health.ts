import { z } from 'zod';
import { list, view } from '../view.ts';

export const greeting = view(
  'Greeting',
  {
    name: z.literal('palimpsest'),
    version: z.string(),
    openapi: z.string(),
    health: z.string(),
    search: z.string(),
  },
  'The name and version of the server, with links to its main resources.',
);
export type Greeting = z.infer<typeof greeting>;

export const liveness = view('Liveness', { status: z.literal('ok') });
export type Liveness = z.infer<typeof liveness>;

export const readiness = view(
  'Readiness',
  {
    status: z.enum(['ok', 'degraded', 'catching up', 'projection failing']),
    reasons: list(z.literal('writes-failing')).exactOptional(),
  },
  '`ok`: searches return complete results. `degraded`: they do, but something else fails; see `reasons`. With 503: why searches are not available.',
);
export type Readiness = z.infer<typeof readiness>;
