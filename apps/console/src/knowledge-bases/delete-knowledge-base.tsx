import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { KnowledgeBaseView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';

type Props = Readonly<{ base: KnowledgeBaseView; onDeleted: () => Promise<void> }>;

/** A button that deletes a knowledge base, once that is confirmed. */
export function DeleteKnowledgeBase({ base: { id, name, documents }, onDeleted }: Props) {
  const { client } = useSession();
  const [confirming, setConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.knowledgeBases.remove(id),
    onSuccess: async () => {
      await onDeleted();
      setConfirming(false);
    },
  });
  return (
    <>
      <button type="button" className="button danger" onClick={() => setConfirming(true)}>
        Delete
      </button>
      {confirming && (
        <Confirm
          title="Delete this knowledge base?"
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>
            “{name}” and {counted(documents, 'document')} are deleted. This cannot be undone, and the id cannot be used again.
          </p>
        </Confirm>
      )}
    </>
  );
}
