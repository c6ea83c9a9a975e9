import type { DeadLetterView, PalimpsestClient } from '@palimpsest/client';
import type { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from './submit.ts';

/** Submits a text that the model refuses, and waits until its job is a dead letter. */
export const createDeadLetter = async (
  standIn: EmbeddingStandIn,
  client: PalimpsestClient,
  sourceId: string,
): Promise<Readonly<{ documentId: string; letter: DeadLetterView }>> => {
  standIn.refusal = { when: (text) => text.includes('ill-fated'), status: 401 };
  const { documentId } = await submitText(client, { sourceId, text: `An ill-fated text about ${sourceId}.` });
  const letter = await eventually('the job is a dead letter', async () =>
    (await client.operations.deadLetters()).find(({ key }) => key.endsWith(documentId)),
  );
  return { documentId, letter };
};
