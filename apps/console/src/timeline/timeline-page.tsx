import { Link, useSearchParams } from 'react-router';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ProblemError } from '@palimpsest/client';
import type { TimelinePage as Listed } from '@palimpsest/client';
import { AS_OF, asOfIn, type AsOf } from '../past/as-of.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ChooseMoment } from './choose-moment.tsx';
import { stepsOf } from './moments.ts';
import { scopeChoices } from './scope-choices.ts';
import { TimelineList } from './timeline-list.tsx';

const PER_PAGE = 50;
const DEFAULT_SCOPE = 'deployment';

export function TimelinePage() {
  const [parameters, setParameters] = useSearchParams();
  const scope = parameters.get('scope') ?? DEFAULT_SCOPE;
  const knowledgeBase = parameters.get('kb') ?? undefined;
  const choose = (asOf: AsOf): void =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete(AS_OF);
        if (asOf !== undefined) after.set(AS_OF, asOf);
        return after;
      },
      { replace: true },
    );
  return (
    <>
      <PageTitle
        lead="What arrived, changed and left, and which model served when. Choose a moment to search as of then."
        actions={
          <Link className="button" to="/replay">
            Replay past searches
          </Link>
        }
      >
        Timeline
      </PageTitle>
      <Choice
        scope={scope}
        knowledgeBase={knowledgeBase}
        onChange={(next) => setParameters(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')))}
      />
      <History key={`${scope} ${knowledgeBase}`} scope={scope} knowledgeBase={knowledgeBase} asOf={asOfIn(parameters)} onChoose={choose} />
    </>
  );
}

type Place = Readonly<{ scope: string; knowledgeBase: string | undefined }>;

/** Another scope has another history, so the chosen moment is not kept. */
function Choice({ scope, knowledgeBase, onChange }: Place & Readonly<{ onChange: (next: Readonly<Record<string, string>>) => void }>) {
  const { client, caller } = useSession();
  const { data: knowledgeBases = [] } = useQuery({
    queryKey: ['knowledge-bases'],
    queryFn: ({ signal }) => client.knowledgeBases.list({ signal }),
  });
  const ids = knowledgeBases.filter((base) => base.scope === scope).map(({ id }) => id);
  return (
    <form className="field-row narrowing" role="search" aria-label="Choose a history" onSubmit={(event) => event.preventDefault()}>
      <Field label="Scope">
        {(given) => (
          <select {...given} value={scope} onChange={({ target }) => onChange({ scope: target.value })}>
            {scopeChoices({ caller, knowledgeBases, chosen: scope }).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Knowledge base">
        {(given) => (
          <select {...given} value={knowledgeBase ?? ''} onChange={({ target }) => onChange({ scope, kb: target.value })}>
            <option value="">All of the scope</option>
            {[...new Set([...ids, ...(knowledgeBase === undefined ? [] : [knowledgeBase])])].map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        )}
      </Field>
    </form>
  );
}

type HistoryProps = Place & Readonly<{ asOf: AsOf; onChoose: (asOf: AsOf) => void }>;

function History({ scope, knowledgeBase, asOf, onChoose }: HistoryProps) {
  const { client } = useSession();
  const listed = useInfiniteQuery({
    queryKey: ['timeline', scope, knowledgeBase],
    queryFn: ({ signal, pageParam: cursor }): Promise<Listed> =>
      client.timeline.list(
        scope,
        { limit: PER_PAGE, ...(knowledgeBase === undefined ? {} : { knowledgeBase }), ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const pages = listed.data?.pages ?? [];
  const entries = pages.flatMap((page) => page.entries);
  if (listed.error instanceof ProblemError && listed.error.status === 404)
    return (
      <EmptyState title="Scope not found">
        <p>It does not exist, or your key has no access to it.</p>
      </EmptyState>
    );
  return (
    <div aria-busy={listed.isFetching}>
      <ProblemNotice error={listed.error} />
      {listed.isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {pages[0]?.from && <ChooseMoment steps={stepsOf(entries)} reach={pages[0]} asOf={asOf} onChoose={onChoose} />}
      <section aria-labelledby="entries">
        <h2 id="entries" className="visually-hidden">
          The history
        </h2>
        {entries.length > 0 && <TimelineList entries={entries} asOf={asOf} onChoose={onChoose} />}
        {listed.isSuccess && entries.length === 0 && !listed.hasNextPage && (
          <EmptyState title="Nothing has happened yet">
            <p>The timeline starts with the first document or knowledge base.</p>
          </EmptyState>
        )}
        {listed.hasNextPage && (
          <p className="more">
            <button type="button" className="button" disabled={listed.isFetchingNextPage} onClick={() => void listed.fetchNextPage()}>
              {listed.isFetchingNextPage ? 'Loading…' : 'Load earlier entries'}
            </button>
          </p>
        )}
      </section>
    </div>
  );
}
