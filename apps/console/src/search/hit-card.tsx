import { useId, useState } from 'react';
import type { Hit } from '@palimpsest/client';
import { score } from '../format/format.ts';
import { Highlighted } from './highlighted.tsx';
import { PlaceLink } from './place-link.tsx';
import { WhyThisHit } from './why-this-hit.tsx';

/** Length of the score bar: the share of the best score, from 0 to 1. A score can be negative. */
const shareOf = (value: number, best: number): number => (best > 0 ? Math.min(1, Math.max(0, value / best)) : 0);

type Props = Readonly<{
  hit: Hit;
  /** The score of the first result. */
  best: number;
}>;

export function HitCard({ hit, best }: Props) {
  const [why, setWhy] = useState(false);
  const [whole, setWhole] = useState(false);
  const panel = useId();
  const { rank, title, citation, source, lines, headings, snippet, labels, text, knowledgeBase } = hit;
  return (
    <li className="card hit">
      <div className="hit-head">
        <span className="rank" aria-hidden="true">
          {rank}
        </span>
        <div>
          <h3>
            <PlaceLink place={hit}>{title}</PlaceLink>
          </h3>
          <p className="citation">{citation}</p>
        </div>
        <p className="score" title="Results are ordered by this score. Scores are comparable only within one search.">
          <span className="muted">Score</span> {score(hit.score)}
          <meter
            min={0}
            max={1}
            value={shareOf(hit.score, best)}
            aria-label={`Score ${score(hit.score)}; the best result has ${score(best)}`}
          />
        </p>
      </div>
      {headings.some((heading) => heading !== title) && <p className="headings">{headings.join(' › ')}</p>}
      {whole ? (
        <p className="chunk-text">{text}</p>
      ) : (
        <p className="snippet">
          <Highlighted {...snippet} />
        </p>
      )}
      <div className="hit-foot">
        <ul className="chips" aria-label="About this result">
          <li className="chip">{knowledgeBase}</li>
          <li className="chip" title={source}>
            {source}, lines {lines[0]}–{lines[1]}
          </li>
          {Object.entries(labels).map(([name, value]) => (
            <li key={name} className="chip">
              {name}={value}
            </li>
          ))}
        </ul>
        <div className="buttons">
          <button
            type="button"
            className="button quiet small"
            aria-label={`Whole chunk of result ${rank}`}
            aria-pressed={whole}
            onClick={() => setWhole(!whole)}
          >
            Whole chunk
          </button>
          <button
            type="button"
            className="button quiet small"
            aria-label={`Why this result, number ${rank}`}
            aria-expanded={why}
            aria-controls={panel}
            onClick={() => setWhy(!why)}
          >
            Why this result
          </button>
        </div>
      </div>
      <div id={panel} hidden={!why}>
        {why && <WhyThisHit hit={hit} />}
      </div>
    </li>
  );
}
