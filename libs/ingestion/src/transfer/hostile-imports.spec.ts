import fc from 'fast-check';
import type { Access } from '@palimpsest/knowledge/access';
import { activeGeneration, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, KnowledgeError, PartlyAccepted } from '@palimpsest/knowledge/errors';
import type { DomainEvent } from '@palimpsest/knowledge/events';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { embeddingVersionParts, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { fromBase64, openText, openVector } from '@palimpsest/contracts';
import { BASE, World } from '../../test/world.ts';
import { ImportStart } from './import-start.ts';
import { DocumentImport, type Imported } from './document-import.ts';
import { exportedLines } from '../../test/exported-lines.ts';

const THERE: Access = { tenant: tenantId('there'), teams: ['*'], roles: ['admin'], actor: 'key-9' };
const BLUE = vectorScope('team:blue');
type Line = Record<string, unknown>;

const importInto = async (target: World, [head, ...lines]: readonly Line[]): Promise<readonly Imported[]> => {
  const { journal, blobs, keys, providers, provider, knowledgeBases, submitDocument: submit, now } = target;
  await new ImportStart({ journal, providers, knowledgeBases, now }).run(THERE, BLUE, head as never, false, 'r');
  const all = async function* () {
    for (const line of lines) yield JSON.stringify(line);
  };
  return new DocumentImport({ quotaPolicy: UNLIMITED, journal, blobs, keys, submit, maxBytes: 1_000_000, now }).run(
    THERE,
    BLUE,
    all(),
    { reembed: false, overwrite: false, embeddingVersion: provider.version },
    'r',
  );
};

/** Checks that a submission could have led to every event on the log. Does not use the code under test. */
const expectReachable = async (world: World): Promise<void> => {
  const cipher = await world.keys.cipher({ tenant: THERE.tenant, scope: BLUE });
  const texts = new Map<string, number>();
  for await (const { event } of world.journal.readAll()) {
    if (event.type === 'KnowledgeChunkIndexed') texts.set(event.data.chunkId, expectSoundChunk(event, cipher));
    if (event.type !== 'DocumentIndexed') continue;
    const { title, language, mediaType, chunks } = event.data;
    expect(
      title.trim().length > 0 &&
        title.length <= 1_024 &&
        mediaType.length <= 200 &&
        /^[a-z]{2,3}(-|$)/.test(language) &&
        chunks.length <= 5_000,
    ).toBe(true);
    for (const [i, { chunkId, start, end, fromLine, toLine }] of chunks.entries())
      expect(
        end - start === texts.get(chunkId) && start >= (chunks[i - 1]?.start ?? 0) && fromLine <= toLine && toLine <= Math.max(end, 1),
      ).toBe(true);
  }
};

const expectSoundChunk = (
  { data }: Extract<DomainEvent, { type: 'KnowledgeChunkIndexed' }>,
  cipher: Awaited<ReturnType<World['keys']['cipher']>>,
): number => {
  const { text } = openText(cipher, data.chunkId, fromBase64(data.sealedText));
  const vector = openVector(cipher, data.chunkId, data.embeddingVersion, fromBase64(data.sealedVector));
  expect(text.trim() !== '' && text.isWellFormed() && data.index < data.of && data.of <= 5_000 && !data.language.includes('/')).toBe(true);
  expect(vector.length).toBe(embeddingVersionParts(data.embeddingVersion).dimensions);
  expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-3);
  return text.length;
};

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  true,
  '',
  ' ',
  '../x',
  '../../etc/passwd',
  'x'.repeat(100_000),
  '\ud800',
  'a\u0000b',
  -1,
  0,
  0.5,
  1e9,
  2 ** 53,
  [],
  {},
  { __proto__: 'x' },
  ['x'],
  'NaN',
  'AAAA',
  '2026-13-45',
  'https://x/',
  Buffer.from(Float32Array.from([Number.NaN]).buffer).toString('base64'),
];

const refusal = async (change: (lines: Line[]) => void): Promise<KnowledgeError> => {
  const lines = await exportedLines();
  change(lines);
  return importInto(new World(), lines).then(
    () => Promise.reject(new Error('it was accepted')),
    (error: unknown) => (error instanceof KnowledgeError ? error : Promise.reject(error)),
  );
};
const at = (lines: Line[], kind: string): Line => lines.find((line) => line['kind'] === kind) ?? {};

describe('an import', () => {
  it('of a valid export is accepted and leads to valid events', async () => {
    const world = new World();
    expect(await importInto(world, await exportedLines())).toMatchObject([{ status: 'imported' }, { status: 'imported' }]);
    await expectReachable(world);
  });

  it.each([
    ['chunk', 'of', 1e9],
    ['chunk', 'index', 4_999],
    ['chunk', 'text', ''],
    ['chunk', 'text', ' \n'],
    ['chunk', 'language', '../x'],
    ['chunk', 'vector', 'AAAA'],
    ['chunk', 'tokens', 1e12],
    ['chunk', 'end', 1e9],
    ['chunk', 'toLine', 1e9],
    ['chunk', 'page', 0],
    ['chunk', 'headings', Array.from({ length: 101 }, () => 'h')],
    ['chunk', 'nothing', 1],
    ['document', 'title', 't'.repeat(100_000)],
    ['document', 'fileName', '../../x'],
    ['document', 'mediaType', 'a\r\nb'],
    ['document', 'bytes', 0],
    ['document', 'sourceId', ''],
    ['document', 'labels', { 'a b': 'x' }],
    ['document', 'knowledgeBase', '../x'],
    ['document', 'origin', 'Unknown'],
    ['document', 'checksum', 'x'],
  ])('refuses a %s whose %s is invalid, and names line and field', async (kind, field, value) => {
    const refused = await refusal((lines) => void (at(lines, kind)[field] = value));
    expect(refused).toBeInstanceOf(InvalidValue);
    expect(refused.message).toMatch(new RegExp(`^line ${kind === 'document' ? 1 : 3}\\.${field}`));
  });

  it.each([
    ['title', 't'.repeat(100_000)],
    ['language', '../x'],
    ['chunks', 1e9],
    ['warnings', ['\u0000']],
    ['metadata', { x: 'x'.repeat(100_000) }],
  ])('refuses a document that was indexed with a bad %s', async (field, value) => {
    expect((await refusal((lines) => void ((at(lines, 'document')['indexed'] as Line)[field] = value))).message).toMatch(
      new RegExp(`^line 1\\.indexed\\.${field}`),
    );
  });

  it('refuses a chunk whose last line is before its first', async () => {
    const refused = await refusal((lines) => Object.assign(at(lines, 'chunk'), { fromLine: 3, toLine: 2 }));
    expect(refused.message).toMatch(/^line 3\.toLine: expected at least 3, the value of fromLine/);
  });

  it('reports exactly which documents were accepted before the error', async () => {
    const lines = await exportedLines();
    Object.assign(lines.findLast(({ kind }) => kind === 'chunk') ?? {}, { language: '../x' });
    const refused = await importInto(new World(), lines).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PartlyAccepted);
    expect((refused as PartlyAccepted).documents).toMatchObject([{ status: 'imported', knowledgeBase: BASE }]);
    expect((refused as PartlyAccepted).message).toMatch(/^line \d+\.language/);
  });

  it('with any field changed is refused with a message, or leads to events that a submission could have led to', async () => {
    const original = await exportedLines();
    const places = original
      .slice(1)
      .flatMap((line, i) => [
        ...Object.keys(line).map((key) => [i + 1, [key]] as const),
        ...Object.keys((line['indexed'] as Line | undefined) ?? {}).map((key) => [i + 1, ['indexed', key]] as const),
      ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...HOSTILE)), { minLength: 1, maxLength: 3 }),
        async (changes) => {
          const lines = structuredClone(original);
          for (const [[i, path], value] of changes) {
            const parent = path.length === 1 ? lines[i] : (lines[i]?.['indexed'] as Line | undefined);
            if (typeof parent === 'object' && parent !== null) parent[path.at(-1) as string] = value;
          }
          const world = new World();
          await importInto(world, lines).catch((error: unknown) => {
            if (!(error instanceof KnowledgeError)) throw error;
          });
          await expectReachable(world);
          const { state } = await world.journal.load(scopeDecider, scopeStream({ tenant: THERE.tenant, scope: BLUE }));
          expect(activeGeneration(state)).toBeDefined();
        },
      ),
      { numRuns: 150 },
    );
  });
});
