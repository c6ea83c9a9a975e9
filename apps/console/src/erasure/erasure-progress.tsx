import type { ErasureReceipt, ScopeErasure, SubjectErasure, TenantErasure } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { ReceiptButton } from '../ui/receipt-button.tsx';
import { fileNameOf } from '../ui/save-json.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { isUnderWay, STATE_TEXT } from './erasure-facts.ts';

type Erasure = Pick<ScopeErasure | SubjectErasure | TenantErasure, 'state' | 'requestedAt' | 'erasedAt' | 'completedAt'>;
type Props = Readonly<{ of: string; erasure: Erasure; getReceipt: () => Promise<ErasureReceipt> }>;

/** How far an erasure is, and its receipt once it is complete. */
export function ErasureProgress({ of, erasure, getReceipt }: Props) {
  const { state, requestedAt, erasedAt, completedAt } = erasure;
  const steps = [
    ['requested', requestedAt],
    ['key destroyed', erasedAt],
    ['completed', completedAt],
  ] as const;
  return (
    <>
      <p>
        <StatusBadge status={isUnderWay(erasure) ? 'being erased' : 'erased'} /> {STATE_TEXT[state]}
      </p>
      <p className="muted">
        {steps.map(
          ([name, at], index) =>
            at !== undefined && (
              <span key={name}>
                {index > 0 && ' · '}
                {name} <time dateTime={at}>{dateTime(at)}</time>
              </span>
            ),
        )}
      </p>
      {state === 'completed' && (
        <div>
          <ReceiptButton of={of} file={fileNameOf('erasure', of)} get={getReceipt} />
        </div>
      )}
    </>
  );
}
