import { ProblemError, REQUEST_LIMITS, type DocumentView, type PalimpsestClient } from '@palimpsest/client';
import type { JudgedDocument } from './judging.ts';

const DOCUMENT_ID = /^[0-9a-f]{32}$/;
const MAX_FOUND = 10;
/** Titles are compared here, since the server finds documents by the beginning of their source only. */
const MAX_COMPARED = 5_000;

export type FoundDocuments = Readonly<{ documents: readonly JudgedDocument[]; isComplete: boolean }>;
type Client = Readonly<{
  documents: Pick<PalimpsestClient['documents'], 'get' | 'list' | 'listAll'>;
  knowledgeBases: Pick<PalimpsestClient['knowledgeBases'], 'list'>;
}>;

/** Documents of a scope by id, by the beginning of their source, or by a part of their title or source. */
export const findDocuments = async (client: Client, scope: string, text: string): Promise<FoundDocuments> => {
  const bases = (await client.knowledgeBases.list()).filter((base) => base.scope === scope).map(({ id }) => id);
  const found = new Map<string, JudgedDocument>();
  const add = (document: DocumentView): void => void found.set(document.documentId, documentOf(document));
  if (DOCUMENT_ID.test(text)) {
    const document = await byId(client, text);
    if (document && bases.includes(document.knowledgeBase)) add(document);
    return { documents: [...found.values()], isComplete: true };
  }
  for (const knowledgeBase of bases)
    (await client.documents.list({ knowledgeBase, source: text, limit: MAX_FOUND })).documents.forEach(add);
  const part = text.toLowerCase();
  let compared = 0;
  for (const knowledgeBase of bases)
    for await (const document of client.documents.listAll({ knowledgeBase, limit: REQUEST_LIMITS.page.documents })) {
      if (found.size >= MAX_FOUND || ++compared > MAX_COMPARED)
        return { documents: [...found.values()].slice(0, MAX_FOUND), isComplete: false };
      if ([document.title, document.sourceId].some((name) => name.toLowerCase().includes(part))) add(document);
    }
  return { documents: [...found.values()], isComplete: true };
};

const documentOf = ({ documentId, sourceId: source, knowledgeBase, title }: DocumentView): JudgedDocument => ({
  documentId,
  source,
  knowledgeBase,
  title,
});

const byId = async (client: Client, documentId: string): Promise<DocumentView | undefined> => {
  try {
    return await client.documents.get(documentId);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  }
};
