import { createHash } from 'node:crypto';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { documentId } from '@palimpsest/knowledge/values';
import type { DocumentIds } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { DocumentId, KnowledgeBaseId, SourceId, TenantId } from '@palimpsest/knowledge/values';
import type { Journal } from './journal.ts';

type Source = Readonly<{
  tenant: TenantId;
  knowledgeBase: KnowledgeBaseId;
  sourceId: SourceId;
  documentIds: DocumentIds;
  /** Whether the document is about a data subject. `cipher` is then that of the subject. */
  ofSubject?: boolean;
}>;

/** No one without the scope's key can tell the source from the id, or find out whether a source exists. */
const keyedIdOf = (cipher: ScopeCipher, { knowledgeBase, sourceId }: Source): DocumentId =>
  documentId(cipher.digest(JSON.stringify([knowledgeBase, sourceId]), 'document id').slice(0, 32));

/** As versions before 0.2 derived it. */
const plainIdOf = ({ tenant, knowledgeBase, sourceId }: Source): DocumentId =>
  documentId(
    createHash('sha256')
      .update(JSON.stringify(['document', tenant, knowledgeBase, sourceId]))
      .digest('hex')
      .slice(0, 32),
  );

/**
 * The id of the document with this source. The same source of the same knowledge base is always the same document, so a document of an
 * earlier version keeps its id. With a data subject it is another document: without their key, no one can tell that there was one.
 */
export const documentIdOf = async (journal: Journal, cipher: ScopeCipher, source: Source): Promise<DocumentId> => {
  if (source.documentIds === 'plain' && source.ofSubject !== true) {
    const plain = plainIdOf(source);
    for await (const _ of journal.log.readStream(documentStream(source.tenant, plain), { limit: 1 })) return plain;
  }
  return keyedIdOf(cipher, source);
};
