import { z } from 'zod';
import { GOLDEN_LIMITS } from '@palimpsest/knowledge/golden';
import { goldenLine } from '../../schemas/golden-lines.ts';
import { wire } from '../../schemas/values.ts';
import { ifMatch, limit } from '../query-params.ts';
import { lines, route } from '../route.ts';
import { goldenQueryLine, goldenSetImported, goldenSetList, goldenSetPage } from '../views/golden.ts';

const { sets, queries, judgements, setBytes, scopeBytes } = GOLDEN_LIMITS;
const MIB = 1024 * 1024;

const params = z.object({ scope: wire.scope, set: wire.goldenSetName });
const parameters = { scope: 'deployment', set: 'faq' };
const headers = ifMatch('golden set', 0);
const read = { method: 'get', service: 'reembedding', tag: 'Golden queries', role: 'reader', status: 200 } as const;
const change = {
  service: 'reembedding',
  tag: 'Golden queries',
  role: 'admin',
  administration: true,
  rate: 'writes',
  params,
  headers,
} as const;

export const listGoldenSets = route({
  ...read,
  id: 'Golden.list',
  path: '/v1/scopes/{scope}/golden-sets',
  summary: 'List the golden sets of a scope',
  description: 'The latest version of each set, sorted by name, with the number of judgements whose document does not exist now.',
  params: z.object({ scope: wire.scope }),
  response: goldenSetList,
  example: { parameters: { scope: 'deployment' } },
});

export const getGoldenSet = route({
  ...read,
  id: 'Golden.get',
  path: '/v1/scopes/{scope}/golden-sets/{set}',
  summary: 'Get a golden set with its queries and judgements',
  description:
    'Returns one page. `next` is the `cursor` of the next page and is missing on the last one. A cursor belongs to one version: 409 `Conflict` if the set has changed since.',
  params,
  query: z.strictObject({ limit: limit(500, 50), cursor: z.string().max(100).exactOptional() }),
  response: goldenSetPage,
  problems: ['Conflict'],
  example: { parameters: { ...parameters, limit: 1 } },
});

export const exportGoldenSet = route({
  ...read,
  id: 'Golden.export',
  path: '/v1/scopes/{scope}/golden-sets/{set}/export',
  summary: 'Export a golden set as lines of JSON, one for each query',
  description:
    'The lines of one version, in the form in which they can be imported again. All judgements are exported, also those of documents that do not exist.',
  params,
  stream: 'application/x-ndjson',
  response: goldenQueryLine,
  example: { parameters },
});

export const importGoldenSet = route({
  ...change,
  id: 'Golden.import',
  method: 'put',
  path: '/v1/scopes/{scope}/golden-sets/{set}',
  summary: 'Import a version of a golden set, as lines of JSON, one for each query',
  description: `Replaces all queries of the set. The new version is visible once it is complete. If it has exactly the queries of the current version, nothing changes. The first invalid line is reported by its number and field, and nothing is imported. A judgement names a document by source and knowledge base, or by its id; a document that does not exist is kept. At most ${sets} sets, ${queries} queries in a set, ${judgements} judgements for a query, and ${setBytes / MIB} MiB in a set and ${scopeBytes / MIB} MiB in all sets of the scope, as they are stored.`,
  query: z.strictObject({
    knowledgeBase: wire.knowledgeBaseId
      .exactOptional()
      .describe('knowledge base of the sources that name none; needed if the scope has several'),
  }),
  body: lines(goldenLine),
  status: 200,
  response: goldenSetImported,
  problems: ['Conflict', 'ScopeKeyDestroyed'],
  example: {
    parameters: { ...parameters, knowledgeBase: 'handbook' },
    body: {
      'application/x-ndjson': [
        {
          id: 'carry-over',
          text: 'how many days may be carried over?',
          synthetic: false,
          judgements: [
            { source: 'holidays.md', grade: 2 },
            { source: 'gone.md', grade: 1 },
          ],
        },
        { id: 'trains', text: 'who books the trains?', synthetic: true, judgements: [{ source: 'travel.md', grade: 1 }] },
      ],
    },
  },
});

export const removeGoldenSet = route({
  ...change,
  id: 'Golden.remove',
  method: 'delete',
  path: '/v1/scopes/{scope}/golden-sets/{set}',
  summary: 'Remove a golden set',
  description: 'Its versions stay on the log, encrypted. A later import under the same name continues its numbers.',
  status: 204,
  problems: ['Conflict'],
  example: { parameters },
});
