import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { useKnowledgeBases } from '../knowledge-bases/use-knowledge-bases.ts';
import { PastBanner } from '../past/past-banner.tsx';
import { PageTitle } from '../shell/page-title.tsx';
import { Compare } from './compare.tsx';
import { ContextView } from './context-view.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Hits } from './hits.tsx';
import { SearchForm } from './search-form.tsx';
import { parametersOf, searchStateOf, type SearchState, type View } from './search-state.ts';

const VIEWS: readonly Readonly<{ view: View; name: string }>[] = [
  { view: 'hits', name: 'Results' },
  { view: 'compare', name: 'Compare strategies' },
  { view: 'context', name: 'Context for a prompt' },
];

export function SearchPage() {
  const [parameters, setParameters] = useSearchParams();
  const state = searchStateOf(parameters);
  const { knowledgeBases = [], shown, waiting } = useKnowledgeBases(state.asOf);
  const show = (change: Partial<SearchState>): void => setParameters(parametersOf({ ...state, ...change }));
  return (
    <>
      <PageTitle lead="Ask in plain language. Every result links to its source.">Search</PageTitle>
      {state.asOf !== undefined && <PastBanner asOf={state.asOf} shown={shown} waiting={waiting} />}
      <SearchForm key={parametersOf({ ...state, view: 'hits' }).toString()} state={state} knowledgeBases={knowledgeBases} onSearch={show} />
      {state.query.trim() === '' ? (
        <NoQuestion state={state}>
          <FirstSteps knowledgeBases={knowledgeBases} onAsk={(query) => show({ query })} />
        </NoQuestion>
      ) : (
        <>
          <div className="tabs" role="group" aria-label="View">
            {VIEWS.map(({ view, name }) => (
              <button key={view} type="button" aria-pressed={state.view === view} onClick={() => show({ view })}>
                {name}
              </button>
            ))}
          </div>
          {state.view === 'hits' && <Hits state={state} />}
          {state.view === 'compare' && <Compare state={state} />}
          {state.view === 'context' && <ContextView state={state} onChange={show} />}
        </>
      )}
    </>
  );
}

/** First steps are taken now. */
function NoQuestion({ state: { asOf }, children }: Readonly<{ state: SearchState; children: ReactNode }>) {
  return asOf === undefined ? children : <p className="muted">Ask a question. The results are those of this moment.</p>;
}
