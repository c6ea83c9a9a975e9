import { useState } from 'react';
import type { Hit, SearchResult, Strategy } from '@palimpsest/client';
import { tookOf } from './took.ts';
import { counted, score } from '../format/format.ts';
import { NotYet } from '../past/not-yet.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { Highlighted } from './highlighted.tsx';
import { PlaceLink } from './place-link.tsx';
import type { SearchState } from './search-state.ts';
import { useSearch } from './use-search.ts';

const COLUMNS: readonly Readonly<{ strategy: Strategy; name: string; about: string }>[] = [
  { strategy: 'DenseOnly', name: 'Dense', about: 'by meaning: vectors only' },
  { strategy: 'SparseOnly', name: 'Sparse', about: 'by keywords: BM25 only' },
  { strategy: 'DenseSparseHybrid', name: 'Hybrid', about: 'both, combined' },
];

/** Runs one query with three strategies. Each result shows its rank in the other two. */
export function Compare({ state }: Readonly<{ state: SearchState }>) {
  const [marked, setMarked] = useState<string>();
  const searches = [useSearch(state, 'DenseOnly'), useSearch(state, 'SparseOnly'), useSearch(state, 'DenseSparseHybrid')];
  return (
    <>
      <NotYet shown={searches[0]?.data?.asOf} />
      <div className="columns">
        {COLUMNS.map(({ strategy, name, about }, index) => {
          const { data, error, isFetching } = searches[index] ?? { data: undefined, error: null, isFetching: true };
          const others = COLUMNS.map((column, at) => ({ ...column, data: searches[at]?.data })).filter(
            (other) => other.strategy !== strategy,
          );
          return (
            <section key={strategy} aria-labelledby={`strategy-${strategy}`} aria-busy={isFetching}>
              <h2 id={`strategy-${strategy}`}>
                {name} <span className="hint">{about}</span>
              </h2>
              <p className="hint" role="status">
                {data ? `${counted(data.hits.length, 'result')}${tookOf(data)}` : error ? 'Search failed' : 'Searching…'}
              </p>
              <ProblemNotice error={error} />
              <ol className="narrow-hits">
                {data?.hits.map((hit) => (
                  <NarrowHit key={hit.chunkId} hit={hit} others={others} marked={marked === hit.chunkId} onMark={setMarked} />
                ))}
              </ol>
            </section>
          );
        })}
      </div>
    </>
  );
}

type Other = Readonly<{ name: string; data: SearchResult | undefined }>;
type NarrowHitProps = Readonly<{ hit: Hit; others: readonly Other[]; marked: boolean; onMark: (chunkId: string | undefined) => void }>;

const elsewhere = (chunkId: string, { name, data }: Other): string => {
  const rank = data?.hits.find((hit) => hit.chunkId === chunkId)?.rank;
  return rank === undefined ? `${name}: –` : `${name}: ${rank}`;
};

/** While a result is hovered or has the focus, the same chunk is highlighted in the other columns. */
function NarrowHit({ hit, others, marked, onMark }: NarrowHitProps) {
  const { chunkId, rank, title, snippet, index, of, page } = hit;
  const onlyHere = others.every(({ data }) => data !== undefined && !data.hits.some((other) => other.chunkId === chunkId));
  return (
    <li
      className={`card narrow-hit${marked ? ' marked' : ''}`}
      onMouseEnter={() => onMark(chunkId)}
      onMouseLeave={() => onMark(undefined)}
      onFocus={() => onMark(chunkId)}
      onBlur={() => onMark(undefined)}
    >
      <p className="narrow-title">
        <span className="rank" aria-hidden="true">
          {rank}
        </span>{' '}
        <PlaceLink place={hit}>{title}</PlaceLink>
      </p>
      <p className="citation">
        Chunk {index + 1} of {of}
        {page !== undefined && `, page ${page}`} · score {score(hit.score)}
      </p>
      <p className="snippet">
        <Highlighted {...snippet} />
      </p>
      <p className="hint">{onlyHere ? 'only here' : others.map((other) => elsewhere(chunkId, other)).join(' · ')}</p>
    </li>
  );
}
