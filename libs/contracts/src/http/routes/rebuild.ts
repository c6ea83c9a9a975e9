import { z } from 'zod';
import { optionalJson, route } from '../route.ts';
import { someScopes } from '../some-scopes.ts';
import { rebuildResult } from '../views/operations.ts';
import { rebuildView } from '../views/rebuilds.ts';

const shared = { service: 'query', tag: 'Operation', role: 'operator', internal: true, status: 200 } as const;
/** Answered under any load, which may be the reason to pause. */
const action = { ...shared, method: 'post', administration: true, work: 'none', response: rebuildView, problems: ['Conflict'] } as const;

export const rebuildReadModels = route({
  ...shared,
  id: 'Admin.rebuild',
  method: 'post',
  path: '/v1/admin/rebuild',
  summary: 'Rebuild all read models, or those of single scopes, from the log',
  description:
    'Responds when the rebuild is complete; it continues if the caller does not wait. It does not call the embedding model: vectors are read from the event log. New read models are built next to the current ones, which serve searches until both are at the same position. Query services write what they share in Qdrant again where it is. With `scopes`, only their rows of the catalog and their indexes are built, and take the place of the current ones; `documents` and `chunks` of the response are theirs. One rebuild runs at a time: a second one is refused with 409, and so is the response to one that was cancelled.',
  administration: true,
  body: optionalJson(
    z.strictObject({
      maxEventsPerSecond: z
        .int()
        .min(1)
        .max(1_000_000)
        .exactOptional()
        .describe('project at most this many events per second; default: no limit'),
      ...someScopes,
    }),
  ),
  response: rebuildResult,
  problems: ['Conflict', 'NotFound', 'Unavailable'],
  example: { body: { 'application/json': { maxEventsPerSecond: 20_000, scopes: ['deployment'] } } },
});

export const getRebuild = route({
  ...shared,
  id: 'Admin.getRebuild',
  method: 'get',
  path: '/v1/admin/rebuild',
  summary: 'Get the state and the progress of the running rebuild, otherwise of the last one',
  description: 'Of the process that responds, since its start: a rebuild ends with its process.',
  work: 'none',
  response: rebuildView,
});

export const pauseRebuild = route({
  ...action,
  id: 'Admin.pauseRebuild',
  path: '/v1/admin/rebuild/pause',
  summary: 'Pause the running rebuild',
  description:
    'Takes effect within a second, after the events that are being projected. Searches and new documents are not affected. Refused with 409 if none is running, and just before the end.',
});

export const resumeRebuild = route({
  ...action,
  id: 'Admin.resumeRebuild',
  path: '/v1/admin/rebuild/resume',
  summary: 'Resume the paused rebuild',
  description: 'Continues where it was paused.',
});

export const cancelRebuild = route({
  ...action,
  id: 'Admin.cancelRebuild',
  path: '/v1/admin/rebuild/cancel',
  summary: 'Cancel the running rebuild, and delete what it has built',
  description:
    'The current read models stay as they are. Refused with 409 if none is running, and once the new read models take their place.',
});
