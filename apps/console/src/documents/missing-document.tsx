import { Link } from 'react-router';
import { ProblemError } from '@palimpsest/client';
import { inTime, type AsOf } from '../past/as-of.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

/** Shown while a document is loaded, and if it cannot be. */
export function MissingDocument({ error, asOf }: Readonly<{ error: unknown; asOf: AsOf }>) {
  if (error instanceof ProblemError && error.status === 404)
    return (
      <EmptyState title="Document not found">
        <p>
          {asOf === undefined
            ? 'It may have been deleted, or your key has no access to it. '
            : 'It did not exist at this moment, or your key has no access to it. '}
          <Link to={inTime('/documents', asOf)}>All documents</Link>
        </p>
      </EmptyState>
    );
  if (error !== null) return <ProblemNotice error={error} />;
  return (
    <p className="muted" role="status">
      Loading…
    </p>
  );
}
