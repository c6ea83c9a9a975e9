import { EmptyState } from '../ui/empty-state.tsx';

type Props = Readonly<{ filtered: boolean; mayUpload: boolean; isPast: boolean; onAll: () => void }>;

export function NoDocuments({ filtered, mayUpload, isPast, onAll }: Props) {
  if (filtered)
    return (
      <EmptyState title="No matching documents">
        <p>
          <button type="button" className="button" onClick={onAll}>
            Show all documents
          </button>
        </p>
      </EmptyState>
    );
  if (isPast) return <EmptyState title="No documents at this moment" />;
  return (
    <EmptyState title="No documents yet">
      {mayUpload ? (
        <p>
          Drop files or a folder above, or upload a folder with <code>npx palimpsest ingest &lt;folder&gt;</code>.
        </p>
      ) : (
        <p>
          Your key is read-only. A key with the role <em>writer</em> can upload documents.
        </p>
      )}
    </EmptyState>
  );
}
