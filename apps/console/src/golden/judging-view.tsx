import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { counted } from '../format/format.ts';
import { useClient } from '../session/session.ts';
import { Highlighted } from '../search/highlighted.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { FindDocument } from './find-document.tsx';
import { JudgedCard } from './judged-card.tsx';
import { bestOfEach, gradeOf, GRADE_KEYS, judgedWith, NO_EDITS, queryWithText, withGrade, type JudgedDocument } from './judging.ts';
import { SaveQuery } from './save-query.tsx';
import { useGoldenSet, type ScopeWithSets } from './use-golden.ts';

/** Chunks that are searched for: fewer documents are shown, since each is shown once. */
const TOP_K = 30;
const NO_JUDGEMENTS: readonly never[] = [];

type Props = Readonly<{ scope: ScopeWithSets; query: string; chosenSet: string | undefined }>;

/** The results of a query with a grade for each document, other documents, and the set to save to. */
export function Judging({ scope: { scope, sets }, query, chosenSet }: Props) {
  const client = useClient();
  const [name, setName] = useState(chosenSet ?? (sets.length === 1 ? sets[0]?.set : undefined) ?? '');
  const [edits, setEdits] = useState(NO_EDITS);
  const isKnown = sets.some(({ set }) => set === name);
  const loaded = useGoldenSet({ scope, set: name }, isKnown);
  const set = isKnown ? loaded.data : undefined;
  const known = queryWithText(set?.items ?? [], query);
  const before = known?.judgements ?? NO_JUDGEMENTS;
  const judged = judgedWith(before, edits);
  const search = useQuery({
    queryKey: ['search', 'to judge', scope, query],
    queryFn: ({ signal }) => client.search({ query, scopes: [scope], topK: TOP_K }, { signal }),
    refetchOnWindowFocus: false,
  });
  const found = bestOfEach(search.data?.hits ?? []);
  const others = judged.filter(({ documentId }) => !found.some((hit) => hit.documentId === documentId));
  const gradeButtons = (document: JudgedDocument) => ({
    grade: gradeOf(judged, document),
    onGrade: (grade: number) => setEdits(withGrade(before, edits, document, grade)),
  });
  return (
    <>
      <section aria-labelledby="results" aria-busy={search.isFetching}>
        <h2 id="results">Results</h2>
        <p className="result-line" role="status">
          {search.data ? counted(found.length, 'document') : search.error ? 'Search failed' : 'Searching…'}
        </p>
        <ProblemNotice error={search.error} />
        <p className="muted">With the keyboard: on a button of a document, the digits {GRADE_KEYS} give the grade.</p>
        <ol className="hits">
          {found.map(({ snippet, documentId, source, knowledgeBase, title }) => (
            <JudgedCard
              key={documentId}
              document={{ documentId, source, knowledgeBase, title }}
              {...gradeButtons({ documentId, source, knowledgeBase, title })}
            >
              <p className="snippet">
                <Highlighted {...snippet} />
              </p>
            </JudgedCard>
          ))}
        </ol>
      </section>
      <section aria-labelledby="others">
        <h2 id="others">Documents that the search did not find</h2>
        <ul className="hits">
          {others.map((document) => (
            <JudgedCard key={document.documentId} document={document} {...gradeButtons(document)} />
          ))}
        </ul>
        <FindDocument scope={scope} gradeButtons={gradeButtons} isShown={(id) => others.some(({ documentId }) => documentId === id)} />
      </section>
      <SaveQuery
        scope={scope}
        sets={sets}
        name={name}
        onName={setName}
        loaded={{ isKnown, set, error: isKnown ? loaded.error : null }}
        isInSet={known !== undefined}
        query={query}
        judged={judged}
        isChanged={edits.size > 0}
        onSaved={() => setEdits(NO_EDITS)}
      />
    </>
  );
}
