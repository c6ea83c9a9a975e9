import { REQUEST_LIMITS } from '@palimpsest/client';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { KnowledgeBaseView, Origin, Strategy } from '@palimpsest/client';
import { Field } from '../ui/field.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { Choices } from './choices.tsx';
import { listProblem, optionsInUse } from './search-options.ts';
import { DEFAULT_TOP_K, FilterError, filterOf, ORIGINS, STRATEGIES, type SearchState } from './search-state.ts';

type Props = Readonly<{
  state: SearchState;
  knowledgeBases: readonly KnowledgeBaseView[];
  onSearch: (change: Partial<SearchState>) => void;
}>;

const STRATEGY_NAMES: Readonly<Record<Strategy, string>> = {
  DenseSparseHybrid: 'Hybrid: by meaning and keywords',
  DenseOnly: 'Dense: by meaning',
  SparseOnly: 'Sparse: by keywords',
  DenseSparseRerank: 'Hybrid, then the reranker',
};

/** The number of active filters. */
const filterCountOf = ({ knowledgeBases, scopes, origins, filter, strategy, topK, options }: SearchState): number =>
  [knowledgeBases.length > 0, scopes.length > 0, origins.length > 0, filter.trim() !== '', strategy !== '', topK !== DEFAULT_TOP_K].filter(
    Boolean,
  ).length + optionsInUse(options).length;

const problemOf = (filter: string): string | undefined => {
  try {
    filterOf(filter);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
};

/** Searches only when the form is submitted, not while the user types. */
export function SearchForm({ state, knowledgeBases, onSearch }: Props) {
  const [draft, setDraft] = useState(state);
  const [open, setOpen] = useState(filterCountOf(state) > 0);
  const [problem, setProblem] = useState<string>();
  const change = (part: Partial<SearchState>): void => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = problemOf(draft.filter);
    setProblem(found);
    const { required, excluded, phrases } = draft.options;
    if (found !== undefined || [required, excluded, phrases].some((list) => listProblem(list) !== undefined)) return setOpen(true);
    const { view: _view, maxTokens: _maxTokens, grounding: _grounding, ...asked } = draft;
    return onSearch({ ...asked, query: draft.query.trim() });
  };
  const filterCount = filterCountOf(draft);
  const scopes = [...new Set(knowledgeBases.map(({ scope }) => scope))].sort();
  return (
    <form role="search" className="card search" onSubmit={submit}>
      <div className="search-line">
        <label className="visually-hidden" htmlFor="query">
          Question
        </label>
        <input
          id="query"
          type="search"
          value={draft.query}
          maxLength={REQUEST_LIMITS.query}
          autoComplete="off"
          placeholder="What must be backed up?"
          onChange={({ target }) => change({ query: target.value })}
        />
        <button type="submit" className="button primary">
          Search
        </button>
        <button type="button" className="button quiet" aria-expanded={open} aria-controls="search-filters" onClick={() => setOpen(!open)}>
          Filters{filterCount > 0 && ` (${filterCount})`}
        </button>
      </div>
      <div id="search-filters" className="filters" hidden={!open}>
        <Choices
          legend="Knowledge bases"
          hint="none selected: all"
          values={knowledgeBases.map(({ id }) => id)}
          chosen={draft.knowledgeBases}
          onChange={(chosen) => change({ knowledgeBases: chosen })}
        />
        <Choices
          legend="Scopes"
          hint="none selected: all that you can read"
          values={scopes}
          chosen={draft.scopes}
          onChange={(chosen) => change({ scopes: chosen })}
        />
        <Choices
          legend="Origin"
          hint="none selected: any"
          values={ORIGINS}
          chosen={draft.origins}
          onChange={(chosen) => change({ origins: chosen as readonly Origin[] })}
        />
        <Field
          label="Labels"
          hint={
            problem ?? (
              <>
                for example <code>team=red, lang=en</code>, or a <em>filter</em> as JSON:{' '}
                <code>{'{"not":{"eq":{"field":"label.team","value":"red"}}}'}</code>
              </>
            )
          }
        >
          {(given) => (
            <input
              {...given}
              className="wide"
              value={draft.filter}
              aria-invalid={problem !== undefined}
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => change({ filter: target.value })}
            />
          )}
        </Field>
        <div className="field-row">
          <Field label="Strategy">
            {(given) => (
              <select
                {...given}
                value={draft.strategy}
                onChange={({ target }) => change({ strategy: STRATEGIES.find((each) => each === target.value) ?? '' })}
              >
                <option value="">Default of the knowledge base</option>
                {STRATEGIES.map((each) => (
                  <option key={each} value={each}>
                    {STRATEGY_NAMES[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Results">
            {(given) => (
              <input
                {...given}
                type="number"
                min={1}
                max={REQUEST_LIMITS.topK.max}
                value={draft.topK}
                onChange={({ target }) =>
                  change({ topK: Math.min(REQUEST_LIMITS.topK.max, Math.max(1, Math.round(Number(target.value)) || 1)) })
                }
              />
            )}
          </Field>
        </div>
        <AdvancedFields options={draft.options} onChange={(part) => change({ options: { ...draft.options, ...part } })} />
      </div>
    </form>
  );
}
