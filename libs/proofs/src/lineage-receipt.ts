import type { LineageReceipt } from '@palimpsest/contracts/http';
import type { JsonObject, Signer } from '@palimpsest/knowledge/ports';
import { canonicalJson } from './canonical-json.ts';
import { isSignedBy } from './signatures.ts';

type Unsigned = Omit<LineageReceipt, 'publicKey' | 'signature'>;

export const signLineage = async (signer: Signer, receipt: Unsigned): Promise<LineageReceipt> => {
  const signed = { ...receipt, publicKey: Buffer.from(signer.publicKey).toString('base64') };
  return { ...signed, signature: Buffer.from(await signer.sign(messageOf(signed))).toString('base64') };
};

export const isSignedLineage = ({ signature, ...signed }: LineageReceipt): boolean =>
  isSignedBy(Buffer.from(signed.publicKey, 'base64'), messageOf(signed), Buffer.from(signature, 'base64'));

const messageOf = (receipt: Omit<LineageReceipt, 'signature'>): Buffer => Buffer.from(canonicalJson(receipt as unknown as JsonObject));
