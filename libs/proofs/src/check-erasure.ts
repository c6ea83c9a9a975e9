import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { isSignedStatement } from './checkpoint.ts';
import { isProven } from './proven-record.ts';

/** What is wrong with a receipt of an erasure whose own signature is valid. */
export const erasureProblems = (receipt: ErasureReceipt): readonly string[] => {
  const { tenant, erasedAt, unreadable, proof } = receipt;
  const { record, checkpoint } = proof;
  const checks: readonly (readonly [boolean, string])[] = [
    [
      isSignedStatement(checkpoint, Buffer.from(receipt.publicKey, 'base64')),
      `the signature of checkpoint ${checkpoint.number} is not valid`,
    ],
    [record.checkpoint === checkpoint.number && isProven(record, checkpoint), 'the event of the erasure is not in the checkpoint'],
    [isEventOf(receipt), 'the event is not the one of this erasure'],
    [record.metadata['tenant'] === tenant && record.recordedAt === erasedAt, 'the event is of another tenant or another time'],
    [BigInt(unreadable.last) <= BigInt(record.position), 'it counts records after the erasure'],
  ];
  return checks.flatMap(([holds, problem]) => (holds ? [] : [problem]));
};

const isEventOf = ({ erasure, scope, subject, scopes, proof: { record } }: ErasureReceipt): boolean => {
  const { type, data } = record;
  if (scope !== undefined) return type === 'ScopeErased' && subject === undefined && data['erasure'] === erasure && data['scope'] === scope;
  if (JSON.stringify(data['scopes']) !== JSON.stringify(scopes)) return false;
  return subject === undefined
    ? type === 'TenantErased' && data['erasure'] === erasure
    : type === 'SubjectErased' && data['subject'] === subject && erasure === subject;
};
