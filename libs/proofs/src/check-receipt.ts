import type { ErasureReceipt, LineageReceipt } from '@palimpsest/contracts/http';
import { getErasureReceipt } from '@palimpsest/contracts/routes/erasure';
import { getLineage } from '@palimpsest/contracts/routes/proofs';
import { erasureProblems } from './check-erasure.ts';
import { lineageProblems } from './check-lineage.ts';
import { isSignedReceipt } from './signed-receipt.ts';

/** A right receipt, or what is wrong with it, a sentence for each. */
export type CheckedReceipt = Readonly<{ receipt: LineageReceipt | ErasureReceipt }> | Readonly<{ problems: readonly string[] }>;

/**
 * Checks a receipt of any kind, as it was parsed from its file, without a server. `source`: the file that a result is supposed to come
 * from. The caller compares the public key of the receipt with the one of the installation.
 */
export const checkReceipt = (raw: unknown, source?: Uint8Array): CheckedReceipt => {
  const isErasure = (raw as Readonly<{ kind?: unknown }> | null)?.kind === 'palimpsest-erasure/1';
  const parsed = (isErasure ? getErasureReceipt.response : getLineage.response).safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problems: [`this is no receipt: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`] };
  }
  // The signature also covers what the schema does not know.
  if (!isSignedReceipt(raw as LineageReceipt))
    return { problems: ['the signature of the receipt is not valid: it was changed, or is signed with another key'] };
  const receipt = parsed.data;
  const problems = receipt.kind === 'palimpsest-erasure/1' ? erasureProblems(receipt) : lineageProblems(receipt, source);
  return problems.length === 0 ? { receipt } : { problems };
};
