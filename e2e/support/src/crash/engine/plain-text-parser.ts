import type { DocumentParser } from '@palimpsest/knowledge/ports';

/** All documents are plain text. The real parser runs in a separate process and writes nothing to the data folder. */
export const PLAIN_TEXT: DocumentParser = {
  parse: async ({ bytes }) => ({
    outcome: 'parsed',
    document: {
      kind: 'text',
      text: Buffer.from(bytes).toString('utf8'),
      mediaType: 'text/plain',
      language: 'en',
      headings: [],
      pages: [],
      sheets: [],
      metadata: {},
      warnings: [],
    },
  }),
  close: () => Promise.resolve(),
};
