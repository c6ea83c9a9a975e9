import type { OperationNotes } from './operation-note.ts';

export const SEARCH_NOTES: OperationNotes = {
  'POST /v1/search': {
    answer: 'SearchResult',
    role: 'reader',
    description:
      'Searches all scopes that the caller may read, or those that are named. A named scope or knowledge base that is unknown, or that the caller may not read, answers 404 `NotFound`. `language` names the language of the query, which is detected otherwise. `explain` tells for each hit what each search gave to its score.',
    example: { body: { 'application/json': { query: 'how many days may be carried over?', topK: 2, filter: { eq: { field: 'label.team', value: 'people' } }, explain: true } } },
  },
  'POST /v1/context': {
    answer: 'ContextResult',
    role: 'reader',
    description:
      'To be added to a prompt: an instruction that fits `grounding`, then the excerpts, neighbours joined, duplicates left out. `leftOut` accounts for every hit that is not in it. With `refuse`, the model must not answer.',
    example: { body: { 'application/json': { query: 'how many days may be carried over?', knowledgeBases: ['handbook'], maxTokens: 400, grounding: 'StrictlyGrounded' } } },
  },
};
