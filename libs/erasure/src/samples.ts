import { cipherIfAny, fromBase64, openText, openVectors, sealedFor, type Journal } from '@palimpsest/contracts';
import { textProbes, vectorProbes, type Probe } from '@palimpsest/foundation';
import type { DomainEvent, EventMetadata } from '@palimpsest/knowledge/events';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import { isOf, type Erased } from './log-records.ts';

/** Something that was said there, to look for in files. `name` says nothing about its content. */
export type Sample = Readonly<{ name: string; probes: readonly Probe[]; text?: string }>;

const MAX_SAMPLES = 1_000;
/** The most recent submissions among which documents of the scope are looked for. */
const SUBMISSIONS = 100_000;
/** Events of one document, so that a long one leaves room for others. */
const EVENTS_OF_A_DOCUMENT = 24;
const MIN_BYTES = 12;
const MAX_CHARACTERS = 60;

/**
 * Samples of what the documents of a scope or of a data subject say: titles, sources, file names, labels, lines of texts, and pieces of
 * vectors. While the key exists, and in memory only.
 */
export const takeSamples = async (
  { journal, keys }: Readonly<{ journal: Journal; keys: Pick<ScopeKeys, 'cipher'> }>,
  of: Erased,
): Promise<readonly Sample[]> => {
  const cipherOf = async (metadata: EventMetadata): Promise<ScopeCipher | undefined> => {
    const place = sealedFor(metadata);
    return place && cipherIfAny(keys, place);
  };
  const [texts, vectors, streams] = [new Set<string>(), new Map<string, readonly Probe[]>(), new Set<string>()];
  for await (const record of journal.log.readAll({
    types: ['DocumentSubmitted'],
    direction: 'backwards',
    limit: SUBMISSIONS,
  })) {
    const { stream } = record;
    if (!isOf(of, record) || streams.has(stream)) continue;
    streams.add(stream);
    for await (const { event, metadata } of journal.readStream(stream, { limit: EVENTS_OF_A_DOCUMENT })) {
      const cipher = await cipherOf(metadata);
      if (cipher === undefined) continue;
      for (const text of textsOf(event, cipher)) if (isDistinctive(text)) texts.add(text);
      for (const piece of piecesOf(event, cipher)) vectors.set(Buffer.from(piece.bytes).toString('base64'), [piece]);
    }
    if (texts.size + vectors.size >= MAX_SAMPLES) break;
  }
  return [
    ...[...texts].map((text, n) => ({ name: `text ${n}`, probes: textProbes(`text ${n}`, text), text })),
    ...[...vectors.values()].map((pieces, n) => ({
      name: `vector ${n}`,
      probes: pieces.map(({ bytes }) => ({ name: `vector ${n}`, bytes })),
    })),
  ].slice(0, MAX_SAMPLES);
};

const textsOf = (event: DomainEvent, cipher: ScopeCipher): readonly string[] => {
  if (event.type === 'DocumentSubmitted') {
    const { sourceId, title = '', fileName = '', labels } = event.data;
    return [sourceId, title, fileName, ...Object.values(labels).map(String)];
  }
  if (event.type !== 'KnowledgeChunkIndexed') return [];
  const { chunkId, sealedText } = event.data;
  const { text } = openText(cipher, chunkId, fromBase64(sealedText));
  return text
    .split('\n')
    .map((line) => line.trim().slice(-MAX_CHARACTERS))
    .filter((line) => line.length === MAX_CHARACTERS)
    .slice(0, 1);
};

/** A piece of the vector of a passage. Few zeros and many different bytes: such a piece is nowhere else by chance. */
const piecesOf = (event: DomainEvent, cipher: ScopeCipher): readonly Probe[] => {
  if (event.type !== 'KnowledgeChunkIndexed') return [];
  const { vector } = openVectors(cipher, event.data.chunkId, event.data.embeddingVersion, event.data);
  return vectorProbes('', vector)
    .filter(({ bytes }) => new Set(bytes).size > bytes.length / 2)
    .slice(0, 1);
};

/**
 * A single word is in many files of other origin, for example as the name of a column. What JSON would write with an escape is left out,
 * because it would not be recognised there.
 */
const isDistinctive = (text: string): boolean =>
  Buffer.byteLength(text) >= MIN_BYTES && /[^\p{L}]/u.test(text) && JSON.stringify(text).length === text.length + 2;
