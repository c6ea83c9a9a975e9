import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { rebuildResult } from './operations.ts';

export const rebuildView = view('RebuildView', {
  state: z
    .enum(['none', 'running', 'paused', 'complete', 'cancelled', 'failed'])
    .describe('`none`: there was no rebuild since the process started. Then there are no other fields.'),
  startedAt: z.string().exactOptional(),
  startedBy: z.string().describe('Id of the API key.').exactOptional(),
  scopes: list(z.string()).describe('Missing if everything is rebuilt.').exactOptional(),
  tenant: z.string().describe('The tenant of `scopes`.').exactOptional(),
  positions: part({ done: z.number(), total: z.number() }).describe('Positions of the log.').exactOptional(),
  maxEventsPerSecond: z.number().describe('Missing if there is no limit.').exactOptional(),
  eventsPerSecond: z
    .number()
    .describe('Mean number of projected events, without pauses. Missing until some are projected.')
    .exactOptional(),
  remainingSeconds: z
    .number()
    .describe('An estimate, without pauses. Missing until events are projected, and after the end.')
    .exactOptional(),
  endedAt: z.string().exactOptional(),
  reason: z.string().describe('Why it failed.').exactOptional(),
  result: rebuildResult.describe('Of a complete rebuild.').exactOptional(),
});
export type RebuildView = z.infer<typeof rebuildView>;
