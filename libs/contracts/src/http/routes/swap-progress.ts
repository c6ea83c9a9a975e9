import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { lastEventId, startAfter } from '../query-params.ts';
import { route } from '../route.ts';
import { swapView } from '../views/swaps.ts';

export const followSwap = route({
  id: 'Swap.progress',
  method: 'get',
  path: '/v1/scopes/{scope}/swap/progress',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'Stream the state of the swap of a scope as server-sent events, until the swap ends',
  description:
    'Messages are named `swap`. The first one is the current state; the others follow after each event of the swap: a range of documents, a pause, an evaluation, a cut-over. Each is complete. With `Last-Event-ID` or `after`, a new stream continues after that position. When the swap has ended (state `idle`), the last message is `end` with the reason `complete`.',
  role: 'reader',
  work: 'none',
  params: z.object({ scope: wire.scope }),
  headers: lastEventId('state'),
  query: z.strictObject(startAfter),
  status: 200,
  stream: 'text/event-stream',
  response: swapView,
  problems: ['QuotaExceeded'],
  example: { parameters: { scope: 'deployment' } },
});
