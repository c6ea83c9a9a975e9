import { FaultyDisk } from '@palimpsest/e2e-support/disk/faulty-disk';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('a platform on a full disk', () => {
  it('reports it in its health, refuses uploads, serves searches, and accepts uploads again when there is space', async () => {
    const disk = FaultyDisk.make();
    const platform = await PlatformUnderTest.start(disk.root, {
      ...(await EmbeddingStandIn.open()).settings(),
      ...disk.settings({ bytes: false }),
    });
    await submitText(platform.client, { sourceId: 'before.md', text: 'Stored before the disk was full.' });
    const health = async () => ({
      ready: await platform.ask('GET /health/ready', { key: undefined }),
      rag: await platform.ask('GET /health/rag', { key: undefined }),
    });
    const isHealthy = () =>
      eventually('the platform is healthy', async () => {
        const { ready, rag } = await health();
        return ready.status === 200 && ready.json['status'] === 'ok' && !(rag.json['reasons'] as string[]).includes('writes-failing')
          ? true
          : undefined;
      });
    await isHealthy();

    disk.order({ action: 'ENOSPC', name: '*', first: 1, last: 1_000_000_000 });
    await eventually('readiness is degraded, although nothing was uploaded since', async () =>
      (await health()).ready.json['status'] === 'degraded' ? true : undefined,
    );
    const { ready, rag } = await health();
    expect({ status: ready.status, body: ready.json }).toEqual({ status: 200, body: { status: 'degraded', reasons: ['writes-failing'] } });
    expect(rag.json).toMatchObject({ status: 'degraded', reasons: expect.arrayContaining(['writes-failing']) });
    expectProblem(
      await platform.ask('POST /v1/documents', { json: { sourceId: 'during.md', text: 'There is no room for it.' } }),
      503,
      'Unavailable',
    );
    expect((await platform.client.search({ query: 'stored before' })).hits.map(({ source }) => source)).toEqual(['before.md']);

    disk.heal();
    await isHealthy();
    await submitText(platform.client, { sourceId: 'after.md', text: 'Stored when there was space again.' });
    expect((await platform.client.search({ query: 'space again' })).hits.map(({ source }) => source)).toContain('after.md');
    expect((await platform.stop()).code).toBe(0);
  });
});
