import type { JsonObject, Signer } from '@palimpsest/knowledge/ports';
import { canonicalJson } from './canonical-json.ts';
import { isSignedBy } from './signatures.ts';

type Signed = Readonly<{ publicKey: string; signature: string }>;

/** Adds the public key and a signature over the canonical JSON of everything else. */
export const signReceipt = async <Receipt extends Signed>(
  signer: Signer,
  receipt: Omit<Receipt, keyof Signed>,
): Promise<Omit<Receipt, keyof Signed> & Signed> => {
  const signed = { ...receipt, publicKey: Buffer.from(signer.publicKey).toString('base64') };
  return { ...signed, signature: Buffer.from(await signer.sign(messageOf(signed))).toString('base64') };
};

/** Whether the receipt was signed with the key that it names. It may have fields that are not known here: the signature covers them. */
export const isSignedReceipt = ({ signature, ...signed }: Signed): boolean =>
  isSignedBy(Buffer.from(signed.publicKey, 'base64'), messageOf(signed), signature);

const messageOf = (receipt: object): Buffer => Buffer.from(canonicalJson(receipt as JsonObject));
