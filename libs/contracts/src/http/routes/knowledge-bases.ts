import { z } from 'zod';
import { DEPLOYMENT } from '@palimpsest/knowledge/values';
import { chunkingSchema } from '../../schemas/chunking-schema.ts';
import { wire } from '../../schemas/values.ts';
import { asOf } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { json, route } from '../route.ts';
import { knowledgeBaseDetails, knowledgeBaseList, knowledgeBaseWritten } from '../views/knowledge-bases.ts';

const settings = {
  name: wire.knowledgeBaseName.exactOptional(),
  description: wire.knowledgeBaseDescription.exactOptional(),
  language: wire.language
    .nullable()
    .meta({
      description: 'BCP 47 tag of the language that is assumed for texts whose own language is unknown; `null` and `und` declare none',
    })
    .exactOptional(),
  chunking: chunkingSchema.exactOptional(),
  historyDays: z
    .int()
    .min(1)
    .max(REQUEST_LIMITS.historyDays)
    .nullable()
    .meta({
      description:
        'after how many days what was replaced or deleted is removed from the log, for good; `null` keeps it. Only administrators may set it',
    })
    .exactOptional(),
  fields: wire.fields
    .nullable()
    .describe(
      'the types by which filters compare labels and metadata, by the names that filters use: `label.year`, `meta.created`. `keyword`, `keywords` (a list: `red, blue`; a filter asks for one of them), `number`, `date` (a day, or a time with its offset from UTC) or `boolean`. A submitted document whose label is not of its type is refused; `null` declares none',
    )
    .exactOptional(),
  synonyms: wire.synonyms
    .nullable()
    .describe(
      'words and phrases with which queries are searched, too: `sso, single sign-on` have the same meaning; with `k8s => kubernetes`, a query for `k8s` also finds `kubernetes`, but not the reverse. Nothing is indexed again; `null` removes them',
    )
    .exactOptional(),
};

const params = z.object({ id: wire.knowledgeBaseId });
const parameters = { id: 'handbook' };

export const createKnowledgeBase = route({
  id: 'KnowledgeBases.create',
  method: 'post',
  path: '/v1/knowledge-bases',
  service: 'ingestion',
  tag: 'Knowledge bases',
  summary: 'Create a knowledge base in a scope',
  description:
    'Every document belongs to a knowledge base, and every knowledge base to a scope. The scope determines who may read it and cannot be changed later.',
  role: 'writer',
  administration: true,
  rate: 'writes',
  body: json(z.strictObject({ id: wire.knowledgeBaseId, scope: wire.scope.default(DEPLOYMENT), ...settings })),
  status: 201,
  response: knowledgeBaseWritten,
  problems: ['NotFound', 'Conflict', 'QuotaExceeded'],
  example: {
    body: {
      'application/json': {
        id: 'handbook',
        name: 'Handbook',
        description: 'How we work',
        scope: 'deployment',
        chunking: { markdown: { maxChars: 1200 } },
      },
    },
  },
});

export const listKnowledgeBases = route({
  id: 'KnowledgeBases.list',
  method: 'get',
  path: '/v1/knowledge-bases',
  service: 'ingestion',
  tag: 'Knowledge bases',
  limitedByLabels: true,
  summary: 'List the knowledge bases that the caller may read',
  description: 'Returns all knowledge bases that the caller may read, with the number of their documents.',
  query: z.strictObject({ asOf }),
  status: 200,
  response: knowledgeBaseList,
  problems: ['HistoryRemoved', 'NotCaughtUp'],
});

export const getKnowledgeBase = route({
  id: 'KnowledgeBases.get',
  method: 'get',
  path: '/v1/knowledge-bases/{id}',
  service: 'ingestion',
  tag: 'Knowledge bases',
  limitedByLabels: true,
  summary: 'Get a knowledge base',
  description: 'For a knowledge base that the caller may not read, the response is the same as for one that does not exist.',
  params,
  query: z.strictObject({ asOf }),
  status: 200,
  response: knowledgeBaseDetails,
  problems: ['HistoryRemoved', 'NotCaughtUp'],
  example: { parameters },
});

export const configureKnowledgeBase = route({
  id: 'KnowledgeBases.configure',
  method: 'patch',
  path: '/v1/knowledge-bases/{id}',
  service: 'ingestion',
  tag: 'Knowledge bases',
  summary:
    'Change name, description, language, chunking, declared fields, synonyms or how long history is kept; documents are re-chunked when they are next submitted',
  description:
    'Omitted fields keep their values; `chunking`, `fields` and `synonyms` are replaced as a whole. A changed `language` also applies to indexed documents whose own language is unknown; `null` declares no language.',
  role: 'writer',
  administration: true,
  rate: 'writes',
  idempotent: true,
  params,
  body: json(z.strictObject(settings)),
  status: 200,
  response: knowledgeBaseWritten,
  problems: ['Conflict'],
  example: { parameters, body: { 'application/json': { description: 'How we work, and when not' } } },
});

export const pauseKnowledgeBase = route({
  id: 'KnowledgeBases.pause',
  method: 'post',
  path: '/v1/knowledge-bases/{id}/pause',
  service: 'ingestion',
  tag: 'Knowledge bases',
  summary: 'Pause a knowledge base: it accepts no documents and holds back those that wait; indexed documents stay searchable',
  description: 'New documents are refused with 409 until the knowledge base is resumed. Documents that are being processed are completed.',
  role: 'writer',
  administration: true,
  rate: 'writes',
  params,
  status: 200,
  response: knowledgeBaseWritten,
  problems: ['Conflict'],
  example: { parameters },
});

export const resumeKnowledgeBase = route({
  id: 'KnowledgeBases.resume',
  method: 'post',
  path: '/v1/knowledge-bases/{id}/resume',
  service: 'ingestion',
  tag: 'Knowledge bases',
  summary: 'Resume a paused knowledge base; documents that were held back are processed in their order',
  description: 'Only for a paused knowledge base.',
  role: 'writer',
  administration: true,
  rate: 'writes',
  params,
  status: 200,
  response: knowledgeBaseWritten,
  problems: ['Conflict'],
  example: { parameters },
});

export const archiveKnowledgeBase = route({
  id: 'KnowledgeBases.archive',
  method: 'post',
  path: '/v1/knowledge-bases/{id}/archive',
  service: 'ingestion',
  tag: 'Knowledge bases',
  summary: 'Archive a knowledge base: it accepts no more documents; indexed documents stay searchable',
  description: 'Archiving cannot be undone.',
  role: 'writer',
  administration: true,
  rate: 'writes',
  params,
  status: 200,
  response: knowledgeBaseWritten,
  problems: ['Conflict'],
  example: { parameters },
});

export const deleteKnowledgeBase = route({
  id: 'KnowledgeBases.remove',
  method: 'delete',
  path: '/v1/knowledge-bases/{id}',
  service: 'ingestion',
  tag: 'Knowledge bases',
  summary: 'Delete a knowledge base with all its documents',
  description:
    'Responds when the deletion is on the log. From then on, the knowledge base accepts no documents, and a worker deletes those that it has, also after a restart. Searches find each document until it is deleted. Afterwards, the knowledge base is as one that does not exist, and its id is not used again. Deleting cannot be undone or stopped. The knowledge base `default`, which takes documents that name none, is not deleted.',
  role: 'writer',
  administration: true,
  rate: 'writes',
  params,
  status: 202,
  response: knowledgeBaseWritten,
  problems: ['Conflict'],
  example: { parameters },
});
