import type { Hit } from '@palimpsest/client';
import { dateTime, score } from '../format/format.ts';
import { explanationOf, type Sum } from './explanation.ts';

/** The ranks and scores that led to a hit's place. */
export function WhyThisHit({ hit }: Readonly<{ hit: Hit }>) {
  const { dense, lexical, fusion, version, indexedAt } = explanationOf(hit.explain);
  return (
    <dl className="facts why">
      <div>
        <dt>By meaning (vectors)</dt>
        <dd>{dense ? <>rank {dense.rank}, cosine similarity {dense.score.toFixed(4)}</> : 'not among the candidates'}</dd>
      </div>
      <div>
        <dt>By words (BM25)</dt>
        <dd>
          {lexical ? <>rank {lexical.rank}, score {lexical.score.toFixed(3)}</> : 'not among the candidates'}
          {lexical && lexical.terms.length > 0 && <> · matched {lexical.terms.map((term) => <code key={term}>{term}</code>)}</>}
        </dd>
      </div>
      <div>
        <dt>Put together</dt>
        <dd>{fusion ? <SumLines sum={fusion} /> : <>score {score(hit.score)}</>}</dd>
      </div>
      <div>
        <dt>Found since</dt>
        <dd>{version === undefined ? 'not told' : <>version {version} of the document{indexedAt !== undefined && <>, indexed <time dateTime={indexedAt}>{dateTime(indexedAt)}</time></>}</>}</dd>
      </div>
      <div>
        <dt>Chunk</dt>
        <dd><code className="id">{hit.chunkId}</code></dd>
      </div>
    </dl>
  );
}

/** `1.9312 = weighted sum of standard scores`, and below it what it is the sum of. */
function SumLines({ sum: { label, value, parts } }: Readonly<{ sum: Sum }>) {
  return (
    <>
      {label}: {value.toFixed(5)}
      {parts.length > 0 && <ul className="sum">{parts.map((part) => <li key={part.label}><SumLines sum={part} /></li>)}</ul>}
    </>
  );
}
