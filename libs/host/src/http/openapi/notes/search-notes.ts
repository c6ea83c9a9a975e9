import type { OperationNotes } from './operation-note.ts';

export const SEARCH_NOTES: OperationNotes = {
  'POST /v1/search': {
    answer: 'SearchResult',
    role: 'reader',
    description:
      'Searches all scopes that the caller may read, or only the given ones. If a given scope or knowledge base is unknown, or the caller may not read it, the response is 404 `NotFound`. `language` is the language of the query; by default, it is detected. With `explain`, each result shows how much each search contributed to its score.',
    example: { body: { 'application/json': { query: 'how many days may be carried over?', topK: 2, filter: { eq: { field: 'label.team', value: 'people' } }, explain: true } } },
  },
  'POST /v1/context': {
    answer: 'ContextResult',
    role: 'reader',
    description:
      'Returns a text to add to a prompt: an instruction that fits `grounding`, then the excerpts, with adjacent chunks merged and duplicates removed. `leftOut` lists every result that is not in the text. If `refuse` is true, the model must not answer.',
    example: { body: { 'application/json': { query: 'how many days may be carried over?', knowledgeBases: ['handbook'], maxTokens: 400, grounding: 'StrictlyGrounded' } } },
  },
};
