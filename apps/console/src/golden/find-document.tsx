import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useClient } from '../session/session.ts';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { findDocuments } from './find-documents.ts';
import { JudgedCard, type GradeButtonsProps } from './judged-card.tsx';
import type { JudgedDocument } from './judging.ts';

type Props = Readonly<{
  scope: string;
  gradeButtons: (document: JudgedDocument) => GradeButtonsProps;
  /** Whether the document is already shown above, because it is judged. */
  isShown: (documentId: string) => boolean;
}>;

/** Finds documents by title, source or id, for those that a search does not return. */
export function FindDocument({ scope, gradeButtons, isShown }: Props) {
  const client = useClient();
  const [text, setText] = useState('');
  const find = useMutation({ mutationFn: (wanted: string) => findDocuments(client, scope, wanted) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    find.mutate(text.trim());
  };
  return (
    <>
      <form className="field-row" role="search" aria-label="Other documents" onSubmit={submit}>
        <Field label="Find a document" hint="part of its title or source, or its id">
          {(given) => <input {...given} required autoComplete="off" value={text} onChange={({ target }) => setText(target.value)} />}
        </Field>
        <button type="submit" className="button" disabled={find.isPending}>
          Find
        </button>
      </form>
      <p className="result-line" role="status">
        {find.isPending ? 'Searching…' : find.data && resultOf(find.data)}
      </p>
      <ProblemNotice error={find.error} />
      <ul className="hits">
        {find.data?.documents
          .filter(({ documentId }) => !isShown(documentId))
          .map((document) => (
            <JudgedCard key={document.documentId} document={document} {...gradeButtons(document)} />
          ))}
      </ul>
    </>
  );
}

const resultOf = ({ documents, isComplete }: Awaited<ReturnType<typeof findDocuments>>): string => {
  if (documents.length === 0 && isComplete) return 'No document found.';
  if (documents.length === 0) return 'No document found among the first ones. Enter the beginning of its source, or its id.';
  return isComplete ? '' : 'More documents may match. Enter more of the title, the beginning of the source, or the id.';
};
