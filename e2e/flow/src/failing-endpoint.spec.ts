import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const QUERY = 'which ships are in the harbour';

describe('an endpoint that fails', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const search = (n: number) => platform.ask('POST /v1/search', { json: { query: `${QUERY} ${n}` } });

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    await submitText(platform.client, { sourceId: 'a.md', text: 'Two ships are in the harbour.' });
  });

  it('is left alone after three failures in a row: searches fail at once, with the time of the next attempt', async () => {
    standIn.refusal = { when: (text) => text.startsWith(QUERY), status: 500 };
    let asked = 0;
    const refused = await eventually(
      'searches fail without a request to the endpoint',
      async () => {
        const before = standIn.texts.length;
        const response = await search(asked++);
        expectProblem(response, 503, 'Unavailable');
        return standIn.texts.length === before ? response : undefined;
      },
      120_000,
    );
    expect(refused.json).toMatchObject({
      detail: expect.stringMatching(/the model openai:stand-in\/64 is not called until 20.*Z: its endpoint failed \d+ times in a row/),
    });
    // The gateway of the services does not pass metrics on.
    if (!DISTRIBUTED)
      expect((await platform.ask('GET /metrics')).text).toMatch(
        /palimpsest_unusable_models\{version="openai:stand-in\/64",reason="circuit-open".*\} 1/,
      );
  });

  it('is used again automatically once it works', async () => {
    standIn.refusal = undefined;
    const found = await eventually(
      'a search succeeds',
      async () => {
        const response = await search(0);
        return response.status === 200 ? response : undefined;
      },
      120_000,
    );
    expect(found.json).toMatchObject({ hits: [{ source: 'a.md' }] });
  });
});
