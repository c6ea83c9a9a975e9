import { EmptyState } from '../ui/empty-state.tsx';

type Props = Readonly<{ narrowed: boolean; mayUpload: boolean; onAll: () => void }>;

export function NoDocuments({ narrowed, mayUpload, onAll }: Props) {
  if (narrowed)
    return (
      <EmptyState title="No document is like that">
        <p><button type="button" className="button" onClick={onAll}>Show all documents</button></p>
      </EmptyState>
    );
  return (
    <EmptyState title="No documents yet">
      {mayUpload ? (
        <p>Drop files or a whole folder above. Whole folders can also be loaded with <code>npx palimpsest ingest &lt;folder&gt;</code>.</p>
      ) : (
        <p>Your key may only read. Somebody with the role <em>writer</em> can upload documents.</p>
      )}
    </EmptyState>
  );
}
