import { z } from 'zod';
import { FIELD_TYPES } from '@palimpsest/knowledge/access';
import { fieldsOf, list, named, view } from '../view.ts';
import { lookedBack, position } from './documents.ts';
import { strategyInUse } from './strategy-in-use.ts';

export const chunking = named(
  'Chunking',
  z.record(z.string(), z.unknown()).readonly(),
  'How documents are split into chunks. The server reports the fields that it does not accept.',
);
export type Chunking = z.infer<typeof chunking>;

const historyDays = z
  .number()
  .describe('After how many days what was replaced or deleted is removed from the log. Missing if it is kept.')
  .exactOptional();

const fields = z
  .record(z.string(), z.enum(FIELD_TYPES))
  .readonly()
  .describe('The types by which filters compare labels and metadata. Missing if it declares none.')
  .exactOptional();

const synonyms = list(z.string())
  .describe('Rules for words and phrases with which queries are searched, too. Missing if it has none.')
  .exactOptional();

export const knowledgeBaseView = view('KnowledgeBaseView', {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  scope: z.string().describe('`platform`, `deployment`, `team:<id>` or `user:<id>`.'),
  status: z
    .enum(['active', 'paused', 'archived', 'deleting'])
    .describe(
      '`paused` and `archived` knowledge bases accept no documents but stay searchable. A paused one holds back the documents that wait in the queue. Of one that is `deleting`, `documents` are not deleted yet.',
    ),
  chunking,
  language: z.string().describe('A BCP 47 tag, used for texts whose own language is unknown.').exactOptional(),
  historyDays,
  fields,
  synonyms,
  strategy: strategyInUse.exactOptional().describe('Of searches that name none. Missing if none was set.'),
  documents: z.number(),
  createdAt: z.string(),
});
export type KnowledgeBaseView = z.infer<typeof knowledgeBaseView>;

const asOf = lookedBack.describe('Only for a request with `asOf`.').exactOptional();

export const knowledgeBaseDetails = view('KnowledgeBaseDetails', { ...fieldsOf(knowledgeBaseView), asOf });
export type KnowledgeBaseDetails = z.infer<typeof knowledgeBaseDetails>;

export const knowledgeBaseWritten = view('KnowledgeBaseWritten', {
  id: z.string(),
  scope: z.string(),
  name: z.string(),
  description: z.string(),
  chunking,
  language: z.string().exactOptional(),
  historyDays,
  fields,
  synonyms,
  status: z.enum(['active', 'paused', 'archived', 'deleting']),
  position,
});
export type KnowledgeBaseWritten = z.infer<typeof knowledgeBaseWritten>;

export const knowledgeBaseList = view('KnowledgeBaseList', { knowledgeBases: list(knowledgeBaseView), asOf });
export type KnowledgeBaseList = z.infer<typeof knowledgeBaseList>;
