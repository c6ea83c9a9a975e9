import type { DeadLetterView, PalimpsestClient } from '@palimpsest/client';
import type { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually } from './eventually.ts';
import { handIn } from './hand-in.ts';

/** Hands in a text that the embedder refuses, until it lies among the dead letters. */
export const giveUpOn = async (standIn: EmbeddingStandIn, client: PalimpsestClient, sourceId: string): Promise<Readonly<{ documentId: string; letter: DeadLetterView }>> => {
  standIn.refusal = { when: (text) => text.includes('ill-fated'), status: 401 };
  const { documentId } = await handIn(client, { sourceId, text: `An ill-fated text about ${sourceId}.` });
  const letter = await eventually('it is among the dead letters', async () => (await client.operations.deadLetters()).find(({ key }) => key.endsWith(documentId)));
  return { documentId, letter };
};
