import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

type Line = Record<string, unknown>;
type Answer = Readonly<{ status: number; code?: string; field?: string; detail?: string; documents?: readonly Line[] }>;

describe('an import by a hostile administrator', () => {
  let platform: PlatformUnderTest;
  let head: Line;
  let lines: readonly Line[];
  let scopes = 0;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    for (const source of ['a.md', 'b.md'])
      await submitText(platform.client, {
        sourceId: source,
        title: 'A title',
        text: `# ${source}\n\nOtters swim.\n\n## Second\n\nBeavers build.`,
      });
    const parts: Uint8Array[] = [];
    for await (const bytes of platform.client.transfer.exportScope('deployment', { portable: true })) parts.push(bytes);
    const all = Buffer.concat(parts)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    [head = {}] = all;
    lines = all.slice(1, -1).map((line) => (line['kind'] === 'document' ? { ...line, knowledgeBase: 'copy' } : line));
  });
  afterAll(() => platform.stop());

  const post = async (path: string, body: string, type: string): Promise<Answer> => {
    const answer = await fetch(`${platform.url}/v1/imports/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.key}`, 'content-type': type },
      body,
    });
    return { ...((await answer.json()) as object), status: answer.status };
  };
  const begin = (scope: string, over: Line = {}) =>
    post(
      scope,
      JSON.stringify({ export: { ...head, knowledgeBases: [{ ...(head['knowledgeBases'] as Line[])[0], id: 'copy' }], ...over } }),
      'application/json',
    );
  /** Imports into a new scope each time. */
  const importing = async (change: (lines: Line[]) => void): Promise<Answer> => {
    const changed = structuredClone([...lines]);
    change(changed);
    const scope = `team:t${(scopes += 1)}`;
    const own = changed.map((line) => (line['knowledgeBase'] === 'copy' ? { ...line, knowledgeBase: `copy-${scopes}` } : line));
    await begin(scope, { knowledgeBases: [{ ...(head['knowledgeBases'] as Line[])[0], id: `copy-${scopes}` }] });
    return post(
      `${scope}/documents?embeddingVersion=${encodeURIComponent(String(head['embeddingVersion']))}`,
      own.map((line) => JSON.stringify(line)).join('\n'),
      'application/x-ndjson',
    );
  };
  const first = (of: readonly Line[], kind: string): Line => of.find((line) => line['kind'] === kind) ?? {};

  it('is accepted if nothing was changed', async () =>
    expect(await importing(() => undefined)).toMatchObject({ status: 200, documents: [{ status: 'imported' }, { status: 'imported' }] }));

  it.each([
    ['chunk', 'of', { of: 1e9 }],
    ['chunk', 'toLine', { fromLine: 3, toLine: 2 }],
    ['chunk', 'text', { text: '' }],
    ['chunk', 'language', { language: '../x' }],
    ['chunk', 'end', { end: 1e9 }],
    ['chunk', 'vector', { vector: Buffer.alloc(256, 0xff).toString('base64') }],
    ['chunk', 'vector', { vector: 'AAAA' }],
    ['chunk', 'unknown', { unknown: 1 }],
    ['document', 'title', { title: 't'.repeat(100_000) }],
    ['document', 'fileName', { fileName: '../../etc/passwd' }],
    ['document', 'labels', { labels: { '../x': 'y' } }],
    ['document', 'bytes', { bytes: 0 }],
  ])('is refused with line and field: a %s with an invalid %s', async (kind, field, wrong) => {
    const answer = await importing((all) => Object.assign(first(all, kind), wrong));
    expect(answer).toMatchObject({ status: 400, code: 'InvalidValue', detail: expect.any(String) });
    expect(answer.field).toMatch(new RegExp(`^line ${kind === 'document' ? 1 : 3}\\.${field}`));
    expect(answer.documents).toBeUndefined();
  });

  it('gets the list of documents that were accepted before an invalid line', async () => {
    const answer = await importing((all) => Object.assign(all.findLast(({ kind }) => kind === 'chunk') ?? {}, { text: ' ' }));
    expect(answer).toMatchObject({
      status: 400,
      code: 'InvalidValue',
      documents: [{ status: 'imported', sourceId: expect.any(String), version: 1 }],
    });
    await eventually('the document is listed', async () => {
      const { documents } = await platform.client.documents.list({ knowledgeBase: `copy-${scopes}` });
      return documents.length === 0
        ? undefined
        : (expect(documents.map(({ sourceId }) => sourceId)).toEqual(answer.documents?.map(({ sourceId }) => sourceId)) ?? true);
    });
  });

  it('cannot begin with an invalid knowledge base', async () => {
    const [base] = head['knowledgeBases'] as Line[];
    for (const wrong of [
      { name: '  ' },
      { id: '../x' },
      { description: 'd'.repeat(10_000) },
      { status: 'paused' },
      { chunking: { markdown: { maxChars: 1e9 } } },
    ])
      expect({ wrong, answer: await begin('team:never', { knowledgeBases: [{ ...base, id: 'never', ...wrong }] }) }).toMatchObject({
        answer: { status: 400, code: 'InvalidValue' },
      });
    expect(
      await begin('team:never', {
        knowledgeBases: [
          { ...base, id: 'never' },
          { ...base, id: 'never' },
        ],
      }),
    ).toMatchObject({ status: 400 });
  });

  it('never gets a 500, and leaves read models that verify as clean', async () => {
    const hostile = [null, '', '../x', 'x'.repeat(100_000), '\ud800', '\u0000', -1, 0.5, 1e9, [], {}, true];
    for (const [i, line] of lines.entries())
      for (const [j, key] of Object.keys(line).entries()) {
        const value = hostile[(7 * i + j) % hostile.length];
        const { status } = await importing((all) => Object.assign(all[i] as Line, { [key]: value }));
        expect({ line: i + 1, key, value, status, below500: status < 500 }).toMatchObject({ below500: true });
      }
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });
});
