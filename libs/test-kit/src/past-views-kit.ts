import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Journal } from '@palimpsest/contracts';
import { authorise } from '@palimpsest/knowledge/access';
import { document, documentStream, knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { BlobKey } from '@palimpsest/knowledge/ports';
import type { ReadView } from '@palimpsest/knowledge/read-models';
import type { Moment, PastViews } from '@palimpsest/knowledge/past';
import {
  DEFAULT_TENANT,
  documentId,
  knowledgeBaseId,
  position,
  sha256,
  sourceId,
  START,
  tenantId,
  vectorScope,
} from '@palimpsest/knowledge/values';
import type { DocumentId, Position } from '@palimpsest/knowledge/values';

/** `close` ends the views; `left` counts the sets of read models that exist afterwards. */
export type PastViewsUnderTest = Readonly<{
  journal: Journal;
  views: PastViews;
  close: () => Promise<void>;
  left: () => Promise<number>;
  dispose: () => Promise<void>;
}>;

const SCOPE = vectorScope('deployment');
const BASE = knowledgeBaseId('handbook');
const METADATA = { tenant: DEFAULT_TENANT, scope: SCOPE, actor: 'kit', correlationId: 'r-1' };
const PERMITTED = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'kit' }, [SCOPE]);
const now = '2026-01-01T00:00:00.000Z';
const idOf = (number: number): DocumentId => documentId(String(number).padStart(32, '0'));

/** The contract of `PastViews`. */
export const describePastViews = (name: string, open: () => Promise<PastViewsUnderTest>): void =>
  describe(`${name} fulfils the contract of PastViews`, () => {
    let under: PastViewsUnderTest;
    beforeEach(async () => {
      under = await open();
      await under.journal.execute(
        knowledgeBase,
        knowledgeBaseStream(DEFAULT_TENANT, BASE),
        { type: 'Create', id: BASE, scope: SCOPE, settings: { name: 'Handbook', description: '', chunking: {} }, now },
        METADATA,
      );
    });
    afterEach(() => under.dispose());

    const head = (): Promise<Position> => under.journal.log.head();
    const submit = async (number: number): Promise<Position> => {
      const digest = sha256(String(number).padStart(64, '0'));
      const submission = {
        knowledgeBase: BASE,
        sourceId: sourceId(`${number}.md`),
        blob: `${DEFAULT_TENANT}/${digest}` as BlobKey,
        bytes: 1,
        checksum: digest,
        fingerprint: digest,
        labels: {},
        origin: 'UserContent',
      } as const;
      const id = idOf(number);
      await under.journal.execute(
        document,
        documentStream(DEFAULT_TENANT, id),
        { type: 'Submit', documentId: id, submission, now },
        METADATA,
      );
      return head();
    };
    const at = (position: Position, tenant = DEFAULT_TENANT): Moment => ({ tenant, asOf: { position }, scopes: [] });
    const remove = (number: number) =>
      under.journal.execute(
        document,
        documentStream(DEFAULT_TENANT, idOf(number)),
        { type: 'Delete', documentId: idOf(number), now },
        METADATA,
      );
    const sources = async ({ catalog }: ReadView): Promise<readonly string[]> =>
      (await catalog.documents(PERMITTED, { limit: 10 })).items.map(({ sourceId: source }) => source).sort();

    it('shows what was there at the position, and nothing that came later', async () => {
      const positions = [await head(), await submit(1), await submit(2), await submit(3)];
      const seen: unknown[] = [];
      for (const then of positions) seen.push(await under.views.at(at(then), sources));
      expect(seen).toEqual([[], ['1.md'], ['1.md', '2.md'], ['1.md', '2.md', '3.md']]);
    });

    it('shows documents that were deleted since, in any order of positions', async () => {
      await submit(1);
      const then = await submit(2);
      expect(await under.views.at(at(then), sources)).toEqual(['1.md', '2.md']);
      await remove(1);
      const between = await submit(3);
      await remove(2);
      expect(await under.views.at(at(between), sources)).toEqual(['2.md', '3.md']);
      expect(await under.views.at(at(await head()), sources)).toEqual(['3.md']);
      expect(await under.views.at(at(then), sources)).toEqual(['1.md', '2.md']);
    });

    it('shows nothing of another tenant', async () => {
      const then = await submit(1);
      const other = tenantId('other');
      const seen = async ({ catalog }: ReadView) => [await catalog.scopes(), await catalog.documentCounts()];
      const [scopes, counts] = await under.views.at(at(then, other), seen);
      expect([scopes, counts]).toMatchObject([[], { total: 0 }]);
      expect(await under.views.at(at(then), sources)).toEqual(['1.md']);
    });

    it('takes a time for the last event until then, and nothing later', async () => {
      const then = await submit(1);
      let recordedAt = '';
      for await (const event of under.journal.log.readAll({ direction: 'backwards', limit: 1 })) recordedAt = event.recordedAt;
      while (new Date().toISOString() <= recordedAt) await new Promise((resolve) => setTimeout(resolve, 1));
      await submit(2);
      const seen = async (view: ReadView) => [view.position(), await sources(view)];
      expect(await under.views.at({ tenant: DEFAULT_TENANT, asOf: { time: recordedAt }, scopes: [] }, seen)).toEqual([then, ['1.md']]);
      expect(await under.views.at({ tenant: DEFAULT_TENANT, asOf: { time: '2001-01-01T00:00:00.000Z' }, scopes: [] }, seen)).toEqual([
        START,
        [],
      ]);
    });

    it('knows its position, and serves', async () => {
      const then = await submit(1);
      await submit(2);
      expect(await under.views.at(at(then), async (view) => [view.position(), view.serving()])).toEqual([then, true]);
    });

    it('gives concurrent calls the same catalog, and returns their results and failures', async () => {
      const then = await submit(1);
      const catalogs = await Promise.all([1, 2, 3].map(() => under.views.at(at(then), async ({ catalog }) => catalog)));
      expect(new Set(catalogs).size).toBe(1);
      await expect(under.views.at(at(then), () => Promise.reject(new Error('of the caller')))).rejects.toThrow('of the caller');
      expect(await under.views.at(at(then), sources)).toEqual(['1.md']);
    });

    it('can be used for many positions', async () => {
      const positions: Position[] = [];
      for (let number = 1; number <= 4; number++) positions.push(await submit(number));
      const counts = await Promise.all(positions.map((then) => under.views.at(at(then), async (view) => (await sources(view)).length)));
      expect(counts).toEqual([1, 2, 3, 4]);
    });

    it('is refused for a position after the end of the log, and for a time that has not come', async () => {
      const beyond = position((await head()) + 1n);
      await expect(under.views.at(at(beyond), sources)).rejects.toMatchObject({ code: 'InvalidValue', field: 'asOf' });
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      await expect(under.views.at({ tenant: DEFAULT_TENANT, asOf: { time: tomorrow }, scopes: [] }, sources)).rejects.toThrow(InvalidValue);
    });

    it('waits for calls in progress when it closes, deletes every view, and refuses further calls', async () => {
      const then = await submit(1);
      let release: (() => void) | undefined;
      const using = under.views.at(at(then), async (view) => {
        await new Promise<void>((resolve) => (release = resolve));
        return sources(view);
      });
      while (release === undefined) await new Promise((resolve) => setImmediate(resolve));
      const closing = under.close();
      release();
      expect(await using).toEqual(['1.md']);
      await closing;
      expect(await under.left()).toBe(0);
      await expect(under.views.at(at(then), sources)).rejects.toThrow('stopping');
    });
  });
