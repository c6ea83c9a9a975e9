import type { DocumentView, FileContent, PalimpsestClient, Submission, SubmissionResult, TextDocument, DocumentFields } from '@palimpsest/client';

export type Accepted = Exclude<Submission, { status: 'rejected' }>;
export type HandedIn = Accepted & Readonly<{ document: DocumentView }>;

/** @throws when one of them was rejected */
export const accepted = ({ documents }: SubmissionResult): readonly Accepted[] =>
  documents.map((document) => {
    if (document.status === 'rejected') throw new Error(`${document.sourceId}: ${document.error.detail}`);
    return document;
  });

export const one = <T>(list: readonly T[]): T => {
  const [first] = list;
  if (first === undefined || list.length !== 1) throw new Error(`expected one, got ${list.length}`);
  return first;
};

const settled = async (client: PalimpsestClient, submitted: readonly Accepted[]): Promise<readonly HandedIn[]> => {
  const { documents } = await client.waitFor(submitted, { pollMs: 20 });
  return submitted.map((each) => {
    const document = documents.find(({ documentId }) => documentId === each.documentId);
    if (!document) throw new Error(`${each.sourceId} came to no end`);
    return { ...each, document };
  });
};

/** Hands a text in and waits until it is indexed, or failed. */
export const handIn = async (client: PalimpsestClient, document: TextDocument): Promise<HandedIn> =>
  one(await settled(client, accepted(await client.documents.submitText(document))));

/** The same with files, in one upload. */
export const handInFiles = async (client: PalimpsestClient, files: readonly FileContent[], fields: DocumentFields = {}): Promise<readonly HandedIn[]> =>
  settled(client, accepted(await client.documents.upload(files, fields)));
