import type { FormEvent } from 'react';
import { CandidateFields } from './candidate-fields.tsx';
import { isNow, NOW, type Candidate } from './candidate.ts';
import { useCandidate } from './use-candidate.ts';

type Props = Readonly<{ given: Candidate; onCompare: (candidate: Candidate) => void }>;

/** Asks what to compare the search with. It is closed while that is the same search now. */
export function CompareWith({ given, onCompare }: Props) {
  const { candidate, problem, accepted, change } = useCandidate(given);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (accepted()) onCompare(candidate);
  };
  return (
    <details className="card compare-with" open={!isNow(given)}>
      <summary>Compare with something else</summary>
      <form onSubmit={submit}>
        <CandidateFields candidate={candidate} problem={problem} onChange={change} />
        <p className="buttons">
          <button type="submit" className="button primary">
            Compare
          </button>
          {!isNow(given) && (
            <button type="button" className="button quiet" onClick={() => onCompare(NOW)}>
              Back to now
            </button>
          )}
        </p>
      </form>
    </details>
  );
}
