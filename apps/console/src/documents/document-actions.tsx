import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DocumentView } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';

type Props = Readonly<{ document: DocumentView; onRetryFailed: (error: unknown) => void }>;

/** What writers do with a document. */
export function DocumentActions({ document: { documentId: id, title, status }, onRetryFailed }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState(false);
  const retry = useMutation({
    mutationFn: () => client.documents.retry(id),
    onMutate: () => onRetryFailed(undefined),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['document', id] }),
    onError: onRetryFailed,
  });
  const remove = useMutation({
    mutationFn: () => client.documents.remove(id),
    onSuccess: () => {
      queries.removeQueries({ queryKey: ['document', id] });
      void queries.invalidateQueries({ queryKey: ['documents'] });
      void navigate('/documents', { replace: true });
    },
  });
  return (
    <>
      {status === 'failed' && (
        <button type="button" className="button primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </button>
      )}
      <button type="button" className="button danger" onClick={() => setConfirming(true)}>
        Delete
      </button>
      {confirming && (
        <Confirm
          title="Delete this document?"
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>“{title}” is removed from all searches immediately. Its events stay on the log, sealed.</p>
        </Confirm>
      )}
    </>
  );
}
