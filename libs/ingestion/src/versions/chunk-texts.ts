import { fromBase64, openText, type Journal } from '@palimpsest/contracts';
import { nextTurn, type Scheduler } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ChunkText, KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { factsAt } from '../transfer/facts-at.ts';
import type { DocumentHistory } from './document-history.ts';

export type OpenedChunk = Readonly<{ id: ChunkId; content: ChunkText; recorded: KnowledgeChunkIndexed['data'] }>;

/** Chunks that are read and opened before other work runs. */
const BATCH = 64;

/** Opens chunks as they are on the log, in the order of the log. @throws Corrupt if one is missing */
export async function* openChunks(
  journal: Journal,
  { stream, textAt }: DocumentHistory,
  ids: Iterable<ChunkId>,
  cipher: ScopeCipher,
  scheduler: Scheduler,
): AsyncGenerator<OpenedChunk> {
  const wanted = [...new Set(ids)].map((id) => {
    const revision = textAt.get(id);
    if (revision === undefined) throw new Corrupt(`${stream}: chunk ${id} is not on the log`);
    return { id, revision };
  });
  wanted.sort((a, b) => a.revision - b.revision);
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH);
    const facts = await factsAt(
      journal,
      stream,
      batch.map(({ revision }) => revision),
    );
    for (const { id, revision } of batch) {
      const event = facts.get(revision)?.event;
      if (event?.type !== 'KnowledgeChunkIndexed') throw new Corrupt(`${stream}: the text of chunk ${id} is not on the log`);
      yield { id, content: openText(cipher, id, fromBase64(event.data.sealedText)), recorded: event.data };
    }
    await nextTurn(scheduler);
  }
}
