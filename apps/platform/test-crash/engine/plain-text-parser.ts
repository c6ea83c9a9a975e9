import type { DocumentParser } from '@palimpsest/knowledge';

/** What is handed in is text. The real parser works in a process of its own, and writes nothing. */
export const PLAIN_TEXT: DocumentParser = {
  parse: async ({ bytes }) => ({
    outcome: 'parsed',
    document: {
      kind: 'text', text: Buffer.from(bytes).toString('utf8'), mediaType: 'text/plain', language: 'en', headings: [], pages: [], sheets: [], metadata: {}, warnings: [],
    },
  }),
  close: () => Promise.resolve(),
};
