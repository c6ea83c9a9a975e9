import type {
  DocumentView,
  FileContent,
  PalimpsestClient,
  Submission,
  SubmissionResult,
  TextDocument,
  DocumentFields,
} from '@palimpsest/client';

export type Accepted = Exclude<Submission, { status: 'rejected' }>;
export type SubmittedDocument = Accepted & Readonly<{ document: DocumentView }>;

/** The submissions, all accepted. @throws if one was rejected */
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

const settled = async (client: PalimpsestClient, submitted: readonly Accepted[]): Promise<readonly SubmittedDocument[]> => {
  const { documents } = await client.waitFor(submitted, { pollMs: 20 });
  return submitted.map((each) => {
    const document = documents.find(({ documentId }) => documentId === each.documentId);
    if (!document) throw new Error(`${each.sourceId} was not finished`);
    return { ...each, document };
  });
};

/** Submits a text and waits until it is indexed or failed. */
export const submitText = async (client: PalimpsestClient, document: TextDocument): Promise<SubmittedDocument> =>
  one(await settled(client, accepted(await client.documents.submitText(document))));

/** Uploads files in one request and waits until they are indexed or failed. */
export const uploadFiles = async (
  client: PalimpsestClient,
  files: readonly FileContent[],
  fields: DocumentFields = {},
): Promise<readonly SubmittedDocument[]> => settled(client, accepted(await client.documents.upload(files, fields)));
