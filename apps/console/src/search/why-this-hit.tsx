import type { Hit } from '@palimpsest/client';
import { dateTime, score } from '../format/format.ts';
import { explanationOf, type Sum } from './explanation.ts';

/** The ranks and scores that determine the position of a result. */
export function WhyThisHit({ hit }: Readonly<{ hit: Hit }>) {
  const { dense, lexical, fusion, version, indexedAt } = explanationOf(hit.explain);
  return (
    <dl className="facts why">
      <div>
        <dt>By meaning (vectors)</dt>
        <dd>
          {dense ? (
            <>
              rank {dense.rank}, cosine similarity {dense.score.toFixed(4)}
            </>
          ) : (
            'not among the candidates'
          )}
        </dd>
      </div>
      <div>
        <dt>By keywords (BM25)</dt>
        <dd>
          {lexical ? (
            <>
              rank {lexical.rank}, score {lexical.score.toFixed(3)}
            </>
          ) : (
            'not among the candidates'
          )}
          {lexical && lexical.terms.length > 0 && (
            <>
              {' '}
              · matched{' '}
              {lexical.terms.map((term) => (
                <code key={term}>{term}</code>
              ))}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Combined score</dt>
        <dd>{fusion ? <SumLines sum={fusion} /> : <>score {score(hit.score)}</>}</dd>
      </div>
      <div>
        <dt>Document version</dt>
        <dd>
          {version === undefined ? (
            'unknown'
          ) : (
            <>
              version {version}
              {indexedAt !== undefined && (
                <>
                  , indexed <time dateTime={indexedAt}>{dateTime(indexedAt)}</time>
                </>
              )}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Chunk</dt>
        <dd>
          <code className="id">{hit.chunkId}</code>
        </dd>
      </div>
    </dl>
  );
}

/** A score such as `weighted sum of standard scores: 1.9312`, with its summands below it. */
function SumLines({ sum: { label, value, parts } }: Readonly<{ sum: Sum }>) {
  return (
    <>
      {label}: {value.toFixed(5)}
      {parts.length > 0 && (
        <ul className="sum">
          {parts.map((part) => (
            <li key={part.label}>
              <SumLines sum={part} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
