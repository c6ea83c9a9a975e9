import { setTimeout as sleep } from 'node:timers/promises';
import type { SwapView } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const NEW = 'openai:stand-in/64';
const SCOPE = 'deployment';
const DOCUMENTS = 60;
const CONVERSATIONS = 20;
const WAIT_MS = 240_000;
/** Most words are those of one document, so that words and any model find it. */
const textOf = (n: number): string => `harbour${n} received ships${n} with rope${n}, salt${n}, timber${n} and wine${n} from captain${n}`;

/** Searches without a pause. Each answer must name the document whose words were searched, and come from one generation. */
class Callers {
  asked = 0;
  readonly faults: string[] = [];
  #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  during = async (platform: PlatformUnderTest, work: () => Promise<unknown>): Promise<void> => {
    this.#stop = new AbortController();
    this.#done = this.#run(platform);
    try {
      await work();
    } finally {
      this.#stop.abort();
      await this.#done;
    }
  };

  async #run({ client }: PlatformUnderTest): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const n = this.asked % DOCUMENTS;
      // Another text each time: a cached vector would hide a model that fails.
      const query = `${textOf(n)} ask${this.asked++}`;
      try {
        const { hits } = await client.search({ query, conversation: `talk-${this.asked % CONVERSATIONS}`, explain: true });
        const generations = new Set(hits.map(({ explain }) => explain?.generation.generation));
        if (hits[0]?.source !== `${n}.md`) this.faults.push(`${n} found ${hits[0]?.source}`);
        if (generations.size !== 1) this.faults.push(`${[...generations].join(' and ')} in one answer`);
      } catch (error) {
        this.faults.push(String(error));
      }
    }
  }
}

/** One scope moves to another model: everything that an operator does, in order, under searches that must not notice. */
describe('the day of an operator', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let colleague: string;
  const callers = new Callers();
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, settings()));
  const settings = () => ({ ...standIn.settings(), PALIMPSEST_SWAPS_REQUIRE_PLAN: 'true' });
  const swap = (): Promise<SwapView> => platform.client.swaps.get(SCOPE);
  const until = (what: string, isReached: (view: SwapView) => boolean): Promise<SwapView> =>
    eventually(
      what,
      async () => {
        const view = await swap();
        return isReached(view) ? view : undefined;
      },
      WAIT_MS,
    );
  const documentsSent = (): number => new Set(standIn.texts.filter((text) => !text.includes('ask'))).size;
  const activeModel = async (): Promise<string | undefined> =>
    (await swap()).generations.find(({ status }) => status === 'active')?.embeddingVersion;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(first.client, { sourceId: `${n}.md`, text: textOf(n) });
    expect((await first.stop()).code).toBe(0);
    await start();
    ({ key: colleague } = await platform.client.operations.createApiKey({ name: 'colleague', roles: ['admin'], user: 'colleague' }));
  });

  it('plans the swap; a colleague approves it', () =>
    callers.during(platform, async () => {
      const plan = await platform.client.swaps.plan(SCOPE, { embeddingVersion: NEW, cutover: 'manual', sample: 0 });
      expect(plan).toMatchObject({ plan: 'p1', documents: DOCUMENTS });
      const approved = await platform.ask(`POST /v1/scopes/${SCOPE}/swap/plan/approve`, { key: colleague, json: { plan: plan.plan } });
      expect(approved).toMatchObject({ status: 200 });
    }));

  it('starts it, and it survives two kills', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    // Answers wait for the second kill, so that no speed of the machine decides how far the swap gets.
    standIn.beforeAnswer = async (texts) => {
      if (texts.some((text) => !text.includes('ask')) && documentsSent() > 8) await promise;
    };
    const sent = documentsSent();
    await callers.during(platform, async () => {
      await platform.client.swaps.start(SCOPE, { plan: 'p1' });
      await eventually('documents are embedded', async () => (documentsSent() > sent ? true : undefined), WAIT_MS);
    });
    for (let kills = 0; kills < 2; kills++) {
      await platform.kill();
      await start();
      await callers.during(platform, async () => {
        expect(await swap()).toMatchObject({ state: 'building', plan: { started: 'g2' } });
      });
    }
    await callers.during(platform, async () => {
      expect(await platform.client.swaps.pause(SCOPE, 'lunch')).toMatchObject({ state: 'paused' });
      release();
      await sleep(500);
      expect(await swap()).toMatchObject({ state: 'paused', swap: { paused: { reason: 'lunch', by: 'person' } } });
      await platform.client.swaps.resume(SCOPE);
      const { swap: built } = await until('the generation is built', ({ state }) => state === 'ready');
      expect(built?.built).toMatchObject({ chunks: DOCUMENTS, withoutVector: 0 });
    });
  });

  it('evaluates the new generation', () =>
    callers.during(platform, async () => {
      const { verdict, coverage, spotCheck } = await platform.client.swaps.evaluate(SCOPE);
      expect(verdict).not.toBe('worse');
      expect(coverage).toMatchObject({ chunks: DOCUMENTS, unexplained: 0 });
      expect(spotCheck).toMatchObject({ mismatched: 0 });
    }));

  it('tries it with some callers; a planted regression returns them automatically', () =>
    callers.during(platform, async () => {
      await platform.client.swaps.startCanary(SCOPE, { share: 50 });
      await eventually(
        'the canary serves queries',
        async () => ((await platform.client.swaps.canary(SCOPE)).comparison?.canary.queries ?? 0) > 0 || undefined,
        WAIT_MS,
      );
      standIn.refusal = { when: (text) => text.includes('ask'), status: 401 };
      const { canary } = await until('the callers are returned', (view) => view.canary?.ended !== undefined);
      expect(canary).toMatchObject({ ended: { reason: 'regression' } });
      expect(await activeModel()).not.toBe(NEW);
    }));

  it('tries it again after the fix, and cuts over', async () => {
    standIn.refusal = undefined;
    await callers.during(platform, async () => {
      await platform.client.swaps.startCanary(SCOPE, { share: 50 });
      await eventually(
        'the canary serves queries',
        async () => ((await platform.client.swaps.canary(SCOPE)).comparison?.canary.queries ?? 0) > 0 || undefined,
        WAIT_MS,
      );
      expect((await swap()).canary).not.toHaveProperty('ended');
      expect(await platform.client.swaps.cutOver(SCOPE)).toMatchObject({ state: 'idle', canary: { ended: { reason: 'cut-over' } } });
      expect(await activeModel()).toBe(NEW);
    });
  });

  it('rolls back when the new model becomes slow, with every later write, and retires what it built', () =>
    callers.during(platform, async () => {
      await submitText(platform.client, { sourceId: 'later.md', text: 'Goats climb steep mountains.' });
      standIn.beforeAnswer = (texts) => (texts.some((text) => text.includes('ask')) ? sleep(300) : Promise.resolve());
      expect(await platform.client.swaps.rollBack(SCOPE)).toMatchObject({ state: 'idle' });
      expect(await activeModel()).not.toBe(NEW);
      const { hits } = await platform.client.search({ query: 'Goats climb steep mountains.' });
      expect(hits[0]).toMatchObject({ source: 'later.md' });
      expect(await platform.client.swaps.retire(SCOPE)).toMatchObject({
        generations: [
          { generation: 'g1', status: 'active' },
          { generation: 'g2', status: 'retired' },
        ],
      });
    }));

  it('was noticed by no caller, and is in the audit trail', async () => {
    expect(callers.faults).toEqual([]);
    expect(callers.asked).toBeGreaterThan(50);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true, partitions: [{ generation: 'g1' }] });
    const { entries } = await platform.client.operations.audit({ limit: 200 });
    const operations = new Set(entries.map(({ operation }) => operation));
    for (const step of ['/plan', '/plan/approve', '', '/pause', '/resume', '/evaluate', '/canary', '/cutover', '/rollback', '/retire'])
      expect(operations).toContain(`/v1/scopes/:scope/swap${step}`);
  });
});
