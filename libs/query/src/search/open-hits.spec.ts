import { sealText } from '@palimpsest/contracts';
import { chunkId, Corrupt, IsolationBreach, vectorScope, type Catalog, type ChunkId, type LexicalHit, type ScopeCipher, type ScopeKeys, type VisibleChunk } from '@palimpsest/knowledge';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { ACME, caller, RED } from '../../test/event-world.ts';
import type { FusedHit } from '../ranking/fusion.ts';
import { ShownChunks } from './candidates.ts';
import { OpenHits } from './open-hits.ts';
import { searchRequest } from './search-request.ts';

const id = (n: number): ChunkId => chunkId(String(n).padStart(32, '0'));
const fused = (n: number): FusedHit => ({ chunkId: id(n), score: 1 / n, explained: () => ({ label: 'test', value: 1 / n }) });
const lexical = (n: number): LexicalHit => ({ chunkId: id(n), score: 1 / n, terms: ['harbour'] });
const never = (): boolean => false;

/** A catalogue of chunks 1, 2 and 3, and a count of how often a text is opened. */
class World {
  readonly rows = new Map<ChunkId, VisibleChunk>();
  opened = 0;
  readonly #inner = new InMemoryScopeKeys();

  async put(n: number, text: string, scope = RED): Promise<void> {
    const cipher = await this.#inner.cipher({ tenant: ACME, scope });
    const sealedText = sealText(cipher, id(n), { text, contextPrefix: '', headings: [] });
    this.rows.set(id(n), { chunkId: id(n), tenant: ACME, scope, contentHash: text, sealedText, title: 'Book', index: 0, of: 1, fromLine: 1, toLine: 1 } as unknown as VisibleChunk);
  }

  opening(): OpenHits {
    const catalog = { chunks: async (_: unknown, ids: readonly ChunkId[]) => ids.flatMap((one) => this.rows.get(one) ?? []) } as unknown as Catalog;
    const keys = {
      cipher: async (of: Parameters<ScopeKeys['cipher']>[0]): Promise<ScopeCipher> => {
        const cipher = await this.#inner.cipher(of);
        return { ...cipher, seal: cipher.seal.bind(cipher), open: (bytes, context) => (this.opened++, cipher.open(bytes, context)) };
      },
    } as unknown as ScopeKeys;
    return new OpenHits(caller('reader'), searchRequest({ query: 'harbour', topK: 2 }), keys, new ShownChunks(catalog, []));
  }
}

describe('the hits of a search', () => {
  let world: World;
  beforeEach(async () => {
    world = new World();
    for (const n of [1, 2, 3]) await world.put(n, `The harbour of number ${n}`);
  });

  it('are the same, and opened once each, whether or not they were opened ahead', async () => {
    const all = [[fused(2), fused(1), fused(3)], [lexical(1), lexical(2)]] as const;
    const without = await world.opening().best(...all);
    world.opened = 0;
    const open = world.opening();
    await open.ahead(all[1], never);
    expect(world.opened).toBe(2);
    expect(await open.best(...all)).toEqual(without);
    expect([world.opened, without.map((hit) => [hit.rank, hit.text, hit.snippet.highlights])]).toEqual([2, [[1, 'The harbour of number 2', [[4, 11]]], [2, 'The harbour of number 1', [[4, 11]]]]]);
  });

  it('are as the catalogue has them now: what went is left out, and what was changed is opened again', async () => {
    const open = world.opening();
    await open.ahead([lexical(1), lexical(2)], never);
    world.rows.delete(id(1));
    await world.put(2, 'Another harbour');
    expect((await open.best([fused(1), fused(2), fused(3)], [lexical(1), lexical(2)])).map(({ rank, text }) => [rank, text])).toEqual([[1, 'Another harbour'], [2, 'The harbour of number 3']]);
  });

  it('are not opened ahead any more once that is over', async () => {
    await world.opening().ahead([lexical(1), lexical(2)], () => true);
    expect(world.opened).toBe(0);
  });

  it('do not fail by what was opened ahead and is not among them', async () => {
    world.rows.set(id(1), { ...(world.rows.get(id(1)) as VisibleChunk), sealedText: Buffer.alloc(60) });
    const open = world.opening();
    await open.ahead([lexical(1), lexical(2)], never);
    expect(await open.best([fused(2)], [])).toHaveLength(1);
    await expect(open.best([fused(1)], [])).rejects.toBeInstanceOf(Corrupt);
  });

  it('are refused where the catalogue shows what the caller may not see', async () => {
    await world.put(1, 'The harbour of others', vectorScope('team:blue'));
    const open = world.opening();
    await open.ahead([lexical(1)], never);
    expect(world.opened).toBe(0);
    await expect(open.best([fused(1)], [])).rejects.toBeInstanceOf(IsolationBreach);
  });
});
