import type { Signer } from '@palimpsest/knowledge/ports';
import type { CheckpointStatement, SignedCheckpoint } from '@palimpsest/knowledge/proofs';
import { position, type Position } from '@palimpsest/knowledge/values';
import { canonicalJson } from './canonical-json.ts';
import { decodeEntries, encodeEntries, leafOf, type CheckpointEntry } from './checkpoint-entries.ts';
import { sha256Hex } from './digests.ts';
import { rootOf } from './merkle-tree.ts';
import { isSignedBy, keyIdOf } from './signatures.ts';

/** Digest of the statement before the first one. */
export const NO_CHECKPOINT = '0'.repeat(64);

/** The kind is signed, too: no signature of another statement of ours can be shown as one of a checkpoint. */
const messageOf = (statement: CheckpointStatement): string => canonicalJson({ kind: 'palimpsest-log-checkpoint/1', ...statement });

const statementOf = ({ number, after, upTo, records, root, previous, signedAt, keyId }: CheckpointStatement): CheckpointStatement => ({
  number,
  after,
  upTo,
  records,
  root,
  previous,
  signedAt,
  keyId,
});

/** Names a checkpoint with everything before it: 64 hexadecimal digits. */
export const checkpointDigest = (checkpoint: CheckpointStatement): string => sha256Hex(messageOf(statementOf(checkpoint)));

/** Whether the statement has a valid signature of this key. */
export const isSignedStatement = (checkpoint: CheckpointStatement & Readonly<{ signature: string }>, publicKey: Uint8Array): boolean =>
  isSignedBy(publicKey, Buffer.from(messageOf(statementOf(checkpoint))), checkpoint.signature);

/** Signs what follows the last checkpoint: at least one entry. */
export const signCheckpoint = async (
  signer: Signer,
  last: CheckpointStatement | undefined,
  entries: readonly CheckpointEntry[],
  signedAt: string,
): Promise<SignedCheckpoint> => {
  const after = last?.upTo ?? '0';
  const end = entries.at(-1);
  if (end === undefined) throw new RangeError('a checkpoint has at least one record');
  const statement: CheckpointStatement = {
    number: (last?.number ?? 0) + 1,
    after,
    upTo: String(end.position),
    records: entries.length,
    root: rootOf(entries.map(leafOf)).toString('hex'),
    previous: last ? checkpointDigest(last) : NO_CHECKPOINT,
    signedAt,
    keyId: keyIdOf(signer.publicKey),
  };
  const signature = Buffer.from(await signer.sign(Buffer.from(messageOf(statement)))).toString('base64');
  return { ...statement, signature, ...encodeEntries(position(BigInt(after)), entries) };
};

/** The entries of a checkpoint, after they were checked against its signature. A text says what is wrong with it. */
export const openCheckpoint = (checkpoint: SignedCheckpoint, publicKey: Uint8Array): readonly CheckpointEntry[] | string => {
  if (checkpoint.keyId !== keyIdOf(publicKey)) return `it was signed with another key (${checkpoint.keyId})`;
  if (!isSignedStatement(checkpoint, publicKey)) return 'its signature is not valid';
  let entries: readonly CheckpointEntry[];
  try {
    entries = decodeEntries(positionOf(checkpoint.after), checkpoint);
  } catch {
    return 'its list of records is damaged';
  }
  if (rootOf(entries.map(leafOf)).toString('hex') !== checkpoint.root) return 'its list of records is not the one that was signed';
  return entries;
};

const positionOf = (text: string): Position => position(BigInt(text));
