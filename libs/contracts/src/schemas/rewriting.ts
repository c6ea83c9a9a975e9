/** What a chat model can write for a query: other wordings of it, or a passage that could answer it. */
export const REWRITINGS = ['queries', 'hypothetical'] as const;
