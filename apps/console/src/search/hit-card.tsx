import { useId, useState } from 'react';
import type { Hit } from '@palimpsest/client';
import { counted, percent } from '../format/format.ts';
import { Highlighted } from './highlighted.tsx';
import { PlaceLink } from './place-link.tsx';
import { WhyThisHit } from './why-this-hit.tsx';

type Props = Readonly<{ hit: Hit }>;

/** With the passages around it, where the search asked for them. */
const wholeText = ({ index, text, around = [] }: Hit): string =>
  [...around, { index, text }]
    .sort((a, b) => a.index - b.index)
    .map((passage) => passage.text)
    .join('\n\n');

export function HitCard({ hit }: Props) {
  const [why, setWhy] = useState(false);
  const [whole, setWhole] = useState(false);
  const panel = useId();
  const { rank, title, citation, source, lines, headings, snippet, labels, knowledgeBase, relevance, similar } = hit;
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
        <p
          className="score"
          title="How probable it is that this passage is what the query looks for. The order is that of the score, under Why this result."
        >
          <span className="muted">Relevance</span> {percent(relevance)}
          <meter min={0} max={1} value={relevance} aria-label={`Relevance ${percent(relevance)}`} />
        </p>
      </div>
      {headings.some((heading) => heading !== title) && <p className="headings">{headings.join(' › ')}</p>}
      {whole ? (
        <p className="chunk-text">{wholeText(hit)}</p>
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
          {similar && <li className="chip">{counted(similar.count, 'more passage')} like this</li>}
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
