import {
  chunkId,
  documentId,
  embeddingVersion,
  generationId,
  knowledgeBaseId,
  position,
  START,
  tenantId,
  vectorScope,
  type ChunkId,
} from '@palimpsest/knowledge/values';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { Cause, CausingEvent } from './cause.ts';
import { ChangesBetween } from './changes-between.ts';
import { compareSides } from './compare-sides.ts';
import { findCauses } from './find-causes.ts';
import type { Side } from './run-side.ts';

const SCOPE = vectorScope('deployment');
const BASE = knowledgeBaseId('handbook');
const MODEL = embeddingVersion('fake:one/8');
const chunkOf = (name: string): ChunkId => chunkId(Buffer.from(name).toString('hex').padEnd(32, '0'));
/** The first letter of a chunk names its document. */
const documentOf = ([name = '']: string) =>
  documentId(Buffer.from(`doc ${name.toLowerCase()}`).toString('hex').padEnd(32, '0').slice(0, 32));

/** A side with these chunks, best first; the first `top` of them are hits. */
const sideOf = (names: readonly string[], over: Partial<Side> & Readonly<{ top?: number }> = {}): Side => {
  const { top = 3, ...rest } = over;
  const hits = names.slice(0, top).map((name, i) => ({
    ...{ rank: i + 1, score: 1 - i / 10, chunkId: chunkOf(name), documentId: documentOf(name), scope: SCOPE, knowledgeBase: BASE },
  })) as unknown as SearchHit[];
  return {
    position: position(1n),
    hits,
    ranks: new Map(names.map((name, i) => [chunkOf(name), i + 1])),
    words: new Set(names.map(chunkOf)),
    generations: new Map([[SCOPE, generationId('g1')]]),
    models: new Map([[SCOPE, MODEL]]),
    weights: new Map([[SCOPE, 0.6]]),
    languages: new Map([[BASE, 'en']]),
    lexicalOnly: [],
    ...rest,
  };
};

const eventAt = (at: bigint, type: string): CausingEvent => ({ position: position(at), type, at: '2026-11-27T00:00:00.000Z' });

type Change = Readonly<{
  at: bigint;
  of: string;
  written?: readonly string[];
  removed?: readonly string[];
  version?: number;
  deleted?: boolean;
}>;
const changesOf = (changes: readonly Change[], more: (found: ChangesBetween) => void = () => undefined): ChangesBetween => {
  const found = new ChangesBetween();
  for (const { at, of, written = [], removed = [], version = 2, deleted = false } of changes) {
    const all = found.documents.get(documentOf(of)) ?? [];
    all.push({
      ...eventAt(at, deleted ? 'DocumentDeleted' : 'DocumentIndexed'),
      ...{ scope: SCOPE, version, deleted, written: new Set(written.map(chunkOf)), removed: new Set(removed.map(chunkOf)) },
    });
    found.documents.set(documentOf(of), all);
  }
  more(found);
  return found;
};

/** Each change as `+name kind@positions`. */
const explained = (before: Side, after: Side, changes: ChangesBetween, chosen: readonly string[] = []): readonly string[] => {
  const known = new Map<ChunkId, { documentId: ReturnType<typeof documentOf>; scope: typeof SCOPE }>();
  for (const [id, all] of changes.documents)
    for (const { written, removed } of all)
      for (const chunk of [...written, ...removed]) known.set(chunk, { documentId: id, scope: SCOPE });
  const about = {
    before,
    after,
    changes,
    documentOf: (chunk: ChunkId) => known.get(chunk),
    chosen: new Set(chosen.map((one) => vectorScope(one))),
  };
  const text = ({ kind, events }: Cause): string => `${kind}@${events.map(({ position: at }) => at).join(',')}`;
  return compareSides(before, after, findCauses(about)).changes.map(
    ({ change, hit, causes }) =>
      `${{ gained: '+', lost: '-', moved: '~' }[change]}${Buffer.from(hit.chunkId, 'hex').toString().replaceAll('\0', '')} ${causes.map(text).join(' ')}`,
  );
};

describe('The causes of a changed hit', () => {
  it('are none if nothing changed', () => {
    expect(explained(sideOf(['a', 'b', 'c']), sideOf(['a', 'b', 'c']), changesOf([]))).toEqual([]);
  });

  it('are the deletion of its document, and for the others what left above them', () => {
    const changes = changesOf([{ at: 7n, of: 'a', removed: ['a'], deleted: true }]);
    expect(explained(sideOf(['a', 'b', 'c', 'd']), sideOf(['b', 'c', 'd']), changes)).toEqual([
      '~b competitor@7',
      '~c competitor@7',
      '+d competitor@7',
      '-a deleted@7',
    ]);
  });

  it('are a new document, and nothing that happened below', () => {
    const changes = changesOf([
      { at: 5n, of: 'z', written: ['z'], version: 1 },
      { at: 6n, of: 'n', written: ['n'], version: 1 },
    ]);
    expect(explained(sideOf(['a', 'b', 'c']), sideOf(['a', 'n', 'b', 'c', 'z']), changes)).toEqual([
      '+n indexed@6',
      '~b competitor@6',
      '-c competitor@6',
    ]);
  });

  it('are a changed document: the chunk that left and the one that came', () => {
    const changes = changesOf([{ at: 9n, of: 'a', written: ['A'], removed: ['a'] }]);
    expect(explained(sideOf(['a', 'b']), sideOf(['b', 'A']), changes)).toEqual(['~b competitor@9', '+A reindexed@9', '-a reindexed@9']);
  });

  it('are the statistics if passages only changed places: those of the documents with a word of the query, else of all', () => {
    const of = (words: readonly string[]) => {
      const changes = changesOf([
        { at: 3n, of: 'w', written: ['w'], version: 1 },
        { at: 4n, of: 'x', written: ['x'], version: 1 },
      ]);
      const after = sideOf(['b', 'a', 'c'], { words: new Set(words.map(chunkOf)) });
      return explained(sideOf(['a', 'b', 'c']), after, changes);
    };
    expect(of(['w'])).toEqual(['~b statistics@3', '~a statistics@3']);
    expect(of([])).toEqual(['~b statistics@3,4', '~a statistics@3,4']);
  });

  describe('in a search that collapses', () => {
    const standIns = (of: Readonly<Record<string, string>>) => ({
      standIns: new Map(Object.entries(of).map(([one, other]) => [chunkOf(one), chunkOf(other)])),
    });

    it('are the copy that stands for it now, also for those below', () => {
      const added = changesOf([{ at: 5n, of: 'x', written: ['x'], version: 1 }]);
      const after = sideOf(['b', 'x', 'c', 'a'], standIns({ a: 'x' }));
      expect(explained(sideOf(['a', 'b', 'c'], standIns({})), after, added)).toEqual(['~b competitor@5', '+x indexed@5', '-a copy@5']);
    });

    it('are the copy that stood for it, and is gone', () => {
      const deleted = changesOf([{ at: 5n, of: 'x', removed: ['x'], deleted: true }]);
      const before = sideOf(['x', 'b', 'a'], { ...standIns({ a: 'x' }), top: 2 });
      expect(explained(before, sideOf(['a', 'b'], standIns({})), deleted)).toEqual(['+a copy@5', '-x deleted@5']);
    });

    it('are the text that became like another one, for both and for what moved up', () => {
      const changed = changesOf([{ at: 5n, of: 'a', written: ['A'], removed: ['a'] }]);
      const before = sideOf(['a', 'b', 'c', 'd'], standIns({}));
      const after = sideOf(['A', 'c', 'd', 'b'], standIns({ b: 'A' }));
      expect(explained(before, after, changed)).toEqual([
        '+A reindexed@5',
        '~c competitor@5',
        '+d competitor@5',
        '-a reindexed@5',
        '-b copy@5',
      ]);
    });

    it('are the statistics, too, if nothing happened to either', () => {
      const other = changesOf([{ at: 5n, of: 'w', written: ['w'], version: 1 }]);
      const [before, after] = [sideOf(['a', 'b'], standIns({ b: 'a' })), sideOf(['b', 'a'], standIns({ a: 'b' }))];
      const shown = (side: Side) => ({ ...side, hits: side.hits.slice(0, 1) });
      expect(explained(shown(before), shown(after), other)).toEqual(['+b copy@ statistics@5', '-a copy@ statistics@5']);
    });
  });

  describe('in a search that groups', () => {
    /** The first letter of a chunk names its document. */
    const grouped = (names: readonly string[], top = 4) => {
      const shown = names.slice(0, top);
      return sideOf(names, {
        top,
        groups: new Map(
          Object.values(Object.groupBy(shown, documentOf)).map((group = []) => [documentOf(group[0] ?? ''), group.map(chunkOf)]),
        ),
      });
    };

    it('are another best passage of its document, which took it along', () => {
      const changed = changesOf([{ at: 5n, of: 'b', written: ['b2'] }]);
      const [before, after] = [grouped(['a', 'c', 'b1']), grouped(['b2', 'b1', 'a', 'c'])];
      expect(explained(before, after, changed)).toEqual(['+b2 reindexed@5', '~b1 group@5', '~a competitor@5', '~c competitor@5']);
      const deleted = changesOf([{ at: 6n, of: 'b', written: [], removed: ['b2'] }]);
      expect(explained(after, before, deleted)).toEqual(['~a competitor@6', '~c competitor@6', '~b1 group@6', '-b2 reindexed@6']);
    });

    it('are the passage that has its place in the group', () => {
      const changed = changesOf([{ at: 5n, of: 'b', written: ['b3'] }]);
      const before = grouped(['b1', 'b2', 'c'], 3);
      const after = grouped(['b1', 'b3', 'c', 'b2'], 3);
      expect(explained(before, after, changed)).toEqual(['+b3 reindexed@5', '-b2 group@5']);
    });
  });

  it('are the cut-over if another generation serves, and the request if the comparison chose it', () => {
    const after = sideOf(['b', 'a'], { generations: new Map([[SCOPE, generationId('g2')]]) });
    const changes = changesOf([{ at: 2n, of: 'n', written: ['n'] }], (found) =>
      found.activated.set(SCOPE, [eventAt(4n, 'GenerationActivated'), eventAt(8n, 'GenerationActivated')]),
    );
    expect(explained(sideOf(['a', 'b']), after, changes)).toEqual(['~b cutOver@8', '~a cutOver@8']);
    expect(explained(sideOf(['a', 'b']), after, changes, ['deployment'])).toEqual(['~b request@', '~a request@']);
  });

  it('are another language of the knowledge base, other synonyms, or another weight of the model', () => {
    const configured = changesOf([], (found) => found.configured.set(BASE, [eventAt(6n, 'KnowledgeBaseConfigured')]));
    const german = sideOf(['b', 'a'], { languages: new Map([[BASE, 'de']]) });
    expect(explained(sideOf(['a', 'b']), german, configured)).toEqual(['~b reconfigured@6', '~a reconfigured@6']);
    const synonyms = { added: [{ word: 'sso', synonyms: ['login'] }] };
    expect(explained(sideOf(['a', 'b']), sideOf(['b', 'a'], { synonyms }), configured)).toEqual(['~b reconfigured@6', '~a reconfigured@6']);
    const same = explained(sideOf(['a', 'b'], { synonyms }), sideOf(['b', 'a'], { synonyms }), configured);
    expect(same.join()).not.toContain('reconfigured');
    const lighter = sideOf(['b', 'a'], { weights: new Map([[SCOPE, 0.3]]) });
    expect(explained(sideOf(['a', 'b']), lighter, configured)).toEqual(['~b reconfigured@', '~a reconfigured@']);
  });

  it('are a vector that the serving model computed again, and not those of a generation that is being built', async () => {
    const log = new InMemoryEventLog();
    const journal = aJournal(log);
    const where = { tenant: tenantId('acme'), scope: SCOPE };
    const reembedded = (model: string) => ({
      type: 'KnowledgeChunkReembedded' as const,
      data: {
        ...{ documentId: documentOf('a'), chunkId: chunkOf('a'), embeddingVersion: embeddingVersion(model), sealedVector: 'AAAA' },
        ...{ madeFrom: 0, tokens: 1, truncated: false },
      },
    });
    const metadata = { ...where, actor: 'test', correlationId: 'r1' };
    await journal.appendToEnd(
      documentStream(where.tenant, documentOf('a')),
      [reembedded('fake:two/8'), reembedded('fake:one/8')],
      metadata,
    );
    const changes = await ChangesBetween.read(journal, { tenant: where.tenant, scopes: [SCOPE], from: START, upTo: await log.head() });
    expect(changes.facts).toBe(2);
    expect(explained(sideOf(['b', 'a']), sideOf(['a', 'b']), changes)[0]).toBe(`~a reembedded@${await log.head()}`);
  });
});
