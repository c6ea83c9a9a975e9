import type { SealedHead } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { subjectId } from '@palimpsest/knowledge/subjects';
import { sourceId } from '@palimpsest/knowledge/values';
import { sentBy, transferring } from '../../test/transferring.ts';
import { SCOPE, sections, World, WRITER } from '../../test/world.ts';
import type { ImportOptions } from './document-import.ts';
import { BeginImport, ExportScope, ImportDocuments } from './transfer-scope.ts';

const ADMIN: Access = { ...WRITER, roles: ['admin'] };
const [ANN, BOB] = [subjectId('ann@example.org'), subjectId('bob')];

const aWorld = async () => {
  const world = await new World().begin();
  const about = (source: string, subject?: typeof ANN) =>
    world.index(sections('Apple', 'Berry'), { sourceId: sourceId(source), ...(subject === undefined ? {} : { subject }) });
  const documents = [await about('ann.md', ANN), await about('bob.md', BOB), await about('plain.md')];
  const exported = async (portable: boolean) => {
    const records: unknown[] = [];
    const lines = await transferring(world).execute(new ExportScope(sentBy(ADMIN), { scope: SCOPE.scope, portable }));
    for await (const record of lines) records.push(record);
    return records as readonly Readonly<Record<string, unknown>>[];
  };
  const keyOf = async (source: string) => {
    const id = documents.find((each) => each.sourceId === source)?.documentId;
    for await (const { metadata } of world.journal.readStream(documentStream(SCOPE.tenant, id ?? documents[0]!.documentId)))
      return metadata.subject;
    return undefined;
  };
  return { world, documents, exported, keyOf };
};

describe('an export with documents about persons', () => {
  it('names them, if it is portable', async () => {
    const { exported } = await aWorld();
    const records = (await exported(true)).filter(({ kind }) => kind === 'document');
    expect(records.map(({ sourceId: source, subject }) => [source, subject]).sort()).toEqual([
      ['ann.md', ANN],
      ['bob.md', BOB],
      ['plain.md', undefined],
    ]);
  });

  it('is sealed under their keys: what was exported before an erasure cannot be read afterwards, and is left out of an import', async () => {
    const { world, exported, keyOf } = await aWorld();
    const [head, ...lines] = await exported(false);
    const ann = await keyOf('ann.md');
    if (ann === undefined) throw new Error('the document has no data subject');
    await world.keys.subjects.destroy({ tenant: SCOPE.tenant, subject: ann });
    const sealed = async function* () {
      for (const line of lines) if (line['kind'] === 'sealed') yield JSON.stringify(line);
    };
    const { exportId, embeddingVersion } = head as unknown as SealedHead;
    const buses = transferring(world);
    const renames = new Map();
    await buses.execute(
      new BeginImport(sentBy(ADMIN), { scope: SCOPE.scope, head: head as unknown as SealedHead, reembed: false, renames }),
    );
    const options: ImportOptions = { reembed: false, overwrite: false, embeddingVersion };
    const source = { exportScope: SCOPE.scope, exportId, renames };
    const imported = await buses.execute(new ImportDocuments(sentBy(ADMIN), { scope: SCOPE.scope, lines: sealed(), options, source }));
    expect(imported.map(({ sourceId: source, status }) => [source, status]).sort()).toEqual([
      ['bob.md', 'unchanged'],
      ['plain.md', 'unchanged'],
    ]);
  });
});
