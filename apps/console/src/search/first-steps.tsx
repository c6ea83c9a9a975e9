import { Link } from 'react-router';
import type { KnowledgeBaseView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { EmptyState } from '../ui/empty-state.tsx';

const SAMPLES = 'palimpsest-docs';
const QUESTIONS = ['What must be backed up?', 'Why are vectors on the event log?', 'How do I give a team its own key?'];

type Props = Readonly<{ knowledgeBases: readonly KnowledgeBaseView[]; onAsk: (query: string) => void }>;

/** Shown before the first search: example questions, and how to add documents. */
export function FirstSteps({ knowledgeBases, onAsk }: Props) {
  const documents = knowledgeBases.reduce((sum, base) => sum + base.documents, 0);
  const samples = knowledgeBases.find(({ id }) => id === SAMPLES);
  if (documents === 0)
    return (
      <EmptyState title="Nothing to search yet">
        <p>Upload your documents: Markdown, PDF, Word, spreadsheets, e-mail, source code and more.</p>
        <p>
          <Link className="button primary" to="/documents">
            Upload documents
          </Link>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState title={samples === undefined ? 'Ask a first question' : 'Try a first question'}>
      <p>
        {counted(documents, 'document')} in {counted(knowledgeBases.length, 'knowledge base')} can be searched.
      </p>
      {samples !== undefined && (
        <>
          <p>The documentation of Palimpsest is included as sample data. Try one of these questions:</p>
          <ul className="questions">
            {QUESTIONS.map((question) => (
              <li key={question}>
                <button type="button" className="button" onClick={() => onAsk(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        Then <Link to="/documents">upload a folder of your own documents</Link>.
      </p>
    </EmptyState>
  );
}
