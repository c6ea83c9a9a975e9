import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, openWindow, seen, titled } from './browser.ts';
import { drop } from './dropping.ts';

const BROKEN = { name: 'broken.pdf', text: '%PDF-1.4 and then nothing that a PDF has', type: 'application/pdf' };

describe('documents in the console', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...standIn.settings(),
      PALIMPSEST_QUEUE_CAPACITY: '3',
      PALIMPSEST_INGESTION_CONCURRENCY: '1',
    });
  });

  const rowOf = (page: Awaited<ReturnType<typeof openConsole>>, title: string) =>
    page.getByRole('region', { name: 'Documents' }).getByRole('row').filter({ hasText: title });

  it('say at first what to do, and show each dropped file on its way, a bad one with its reason', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents');
    await seen(page, 'No documents yet');
    await drop(page, [
      { name: 'warranty.md', text: '# Warranty\n\nIt ends after two years.' },
      BROKEN,
      { name: 'returns.md', text: '# Returns\n\nWithin thirty days.' },
    ]);
    const uploads = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
    for (const name of ['warranty.md', 'returns.md']) await uploads.filter({ hasText: name }).getByText('indexed').waitFor();
    await uploads.filter({ hasText: 'broken.pdf' }).getByText('failed').waitFor();
    const [document] = (await platform.client.documents.list({ status: 'failed' })).documents;
    expect(document?.detail).toEqual(expect.any(String));
    await uploads
      .filter({ hasText: 'broken.pdf' })
      .getByText(document?.detail ?? '')
      .waitFor();
    await rowOf(page, 'Warranty').getByText('indexed').waitFor();
    await rowOf(page, 'broken.pdf')
      .getByText(document?.detail ?? '')
      .waitFor();
  });

  it('of a folder are sent without its secrets and hidden files, and the page says which these are', async () => {
    const folder = join(await aDataFolder(), 'project');
    await mkdir(join(folder, '.git'), { recursive: true });
    for (const [name, text] of [
      ['plan.md', '# Plan\n\nBuild the lighthouse.'],
      ['.env', 'PASSWORD=swordfish'],
      ['.git/config', 'token = swordfish'],
      ['id_rsa', 'swordfish'],
    ] as const)
      await writeFile(join(folder, name), text);
    const page = await openConsole(platform.url, platform.key, '/documents');
    await page.getByLabel('Folder to upload').setInputFiles(folder);
    await page
      .getByRole('list', { name: 'Uploads' })
      .getByRole('listitem')
      .filter({ hasText: 'project/plan.md' })
      .getByText('indexed')
      .waitFor();
    await page.getByText('3 files or folders not uploaded').click();
    for (const name of ['project/.env', 'project/.git', 'project/id_rsa']) await page.getByText(`${name}: `).waitFor();
    const sources = (await platform.client.documents.list()).documents.map(({ sourceId }) => sourceId);
    expect(sources.filter((source) => source.startsWith('project/'))).toEqual(['project/plan.md']);
  });

  it('appear and change automatically when others submit them', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents');
    await rowOf(page, 'Warranty').waitFor();
    await submitText(platform.client, { sourceId: 'elsewhere.md', text: '# From elsewhere\n\nSubmitted by another client.' });
    await rowOf(page, 'From elsewhere').getByText('indexed').waitFor();
  });

  it('are reported as unchanged when they are uploaded again', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents');
    await drop(page, [{ name: 'warranty.md', text: '# Warranty\n\nIt ends after two years.' }]);
    await page.getByRole('list', { name: 'Uploads' }).getByText('unchanged').waitFor();
  });

  it('wait while the server is busy, and all come in without anybody doing anything', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    standIn.beforeAnswer = () => held;
    try {
      const page = await openConsole(platform.url, platform.key, '/documents');
      const files = Array.from({ length: 7 }, (_, index) => ({
        name: `queued-${index}.md`,
        text: `# Queued ${index}\n\nNumber ${index} of a long line.`,
      }));
      await drop(page, files);
      const uploads = page.getByRole('list', { name: 'Uploads' });
      await uploads.getByText('server busy').first().waitFor();
      release();
      const states = (): Promise<readonly string[]> => uploads.getByRole('listitem').allInnerTexts();
      const allIndexed = eventually('all are indexed', async () =>
        (await uploads.getByText('indexed').count()) === files.length ? true : undefined,
      );
      // What the page says instead, when it says something else.
      await allIndexed.catch(async (error: unknown) => expect({ error: String(error), states: await states() }).toBeUndefined());
    } finally {
      // A held server would make every later test wait.
      release();
      standIn.beforeAnswer = () => Promise.resolve();
    }
  });

  it('wait when they are dropped before the page knows the knowledge bases, and none is lost', async () => {
    const { page } = await openWindow(platform.url);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/knowledge-bases*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${platform.url}/documents#key=${platform.key}`);
    await drop(page, [{ name: 'early.md', text: '# Early\n\nDropped first.' }]);
    await drop(page, [{ name: 'soon.md', text: '# Soon\n\nDropped next.' }]);
    await page.getByText('Loading knowledge bases').waitFor();
    expect(await page.getByRole('list', { name: 'Uploads' }).count()).toBe(0);
    release();
    const uploads = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
    for (const name of ['early.md', 'soon.md']) await uploads.filter({ hasText: name }).getByText('indexed').waitFor();
  });

  it('are refused with a reason where the knowledge base accepts none', async () => {
    await platform.client.knowledgeBases.create({ id: 'resting' });
    await platform.client.knowledgeBases.pause('resting');
    const page = await openConsole(platform.url, platform.key, '/documents?kb=resting');
    await drop(page, [{ name: 'refused.md', text: '# Refused' }]);
    await page.getByRole('alert').getByText('Nothing was uploaded. The knowledge base “resting” is paused').waitFor();
    expect((await platform.client.documents.list({ source: 'refused.md' })).documents).toEqual([]);
  });

  it('are shown with their versions and chunks, and gone once their deletion is confirmed', async () => {
    await submitText(platform.client, { sourceId: 'guide.md', text: '# Guide\n\nFirst text.' });
    const { documentId } = await submitText(platform.client, {
      sourceId: 'guide.md',
      text: '# Guide\n\nSecond text.',
      labels: { team: 'red' },
    });
    const page = await openConsole(platform.url, platform.key, `/documents/${documentId}?chunk=1`);
    await titled(page, 'Guide');
    await seen(page, 'Second text.');
    await seen(page, 'team=red');
    expect(await page.getByRole('region', { name: 'Versions' }).getByRole('rowheader').allTextContents()).toEqual(['2', '1']);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await platform.client.documents.get(documentId)).status).toBe('indexed');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await titled(page, 'Documents');
    await page.goto(`${platform.url}/documents/${documentId}`);
    await seen(page, 'Document not found');
  });

  it('say in the list and on their page which chunks the model refused', async () => {
    standIn.refusal = { when: (text) => text.includes('unspeakable'), status: 400 };
    const { documentId } = await submitText(platform.client, {
      sourceId: 'partly.md',
      text: `# Spoken\n\n${'Said aloud. '.repeat(200)}\n\n# Rest\n\nAn unspeakable text.`,
    });
    standIn.refusal = undefined;
    const page = await openConsole(platform.url, platform.key, `/documents/${documentId}`);
    await seen(page, '1 refused by the model');
    await page.goto(`${platform.url}/documents?source=partly.md`);
    await rowOf(page, 'partly.md').getByText('1 refused by the model').waitFor();
  });

  it('that failed can be tried again when the cause is gone', async () => {
    standIn.refusal = { when: (text) => text.includes('ill-fated'), status: 401 };
    const { documentId } = await submitText(platform.client, { sourceId: 'ill-fated.md', text: '# Bad luck\n\nAn ill-fated text.' });
    const page = await openConsole(platform.url, platform.key, `/documents/${documentId}`);
    await seen(page, 'Indexing failed');
    standIn.refusal = undefined;
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
    await eventually('it is indexed', async () =>
      (await platform.client.documents.get(documentId)).status === 'indexed' ? true : undefined,
    );
    await seen(page, 'An ill-fated text.');
  });

  it('can be narrowed down by an address, and shown again when nothing is like it', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents?source=broken.pdf');
    await rowOf(page, 'broken.pdf').waitFor();
    expect(await page.getByRole('region', { name: 'Documents' }).getByRole('rowheader').count()).toBe(1);
    await page.getByLabel('Status').selectOption('pending');
    await seen(page, 'No matching documents');
    expect(page.url()).toContain('status=pending');
    await page.goBack();
    await rowOf(page, 'broken.pdf').waitFor();
  });
});
