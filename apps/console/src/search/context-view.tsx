import { REQUEST_LIMITS } from '@palimpsest/client';
import { Fragment, useState } from 'react';
import type { ContextResult, Grounding } from '@palimpsest/client';
import { count, counted } from '../format/format.ts';
import { NotYet } from '../past/not-yet.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { PlaceLink } from './place-link.tsx';
import { GROUNDINGS, type SearchState } from './search-state.ts';
import { useContextFor } from './use-search.ts';

type Props = Readonly<{ state: SearchState; onChange: (change: Partial<SearchState>) => void }>;

const MEANING: Readonly<Record<Grounding, string>> = {
  Preferred: 'Preferred: the model should use the context',
  StrictlyGrounded: 'Strict: no context, no answer',
  Permissive: 'Permissive: the model may use its own knowledge',
};

const LEFT_OUT = { irrelevant: 'not relevant enough', duplicate: 'duplicate of another passage', budget: 'over the token budget' } as const;

const { contextTokens } = REQUEST_LIMITS;

/** The response of POST /v1/context: the text for a prompt. */
export function ContextView({ state, onChange }: Props) {
  const { data, error, isFetching } = useContextFor(state);
  const setTokens = (entered: string): void => {
    const tokens = Math.round(Number(entered));
    if (tokens >= contextTokens.min && tokens <= contextTokens.max) onChange({ maxTokens: tokens });
  };
  return (
    <section aria-labelledby="context" aria-busy={isFetching}>
      <h2 id="context" className="visually-hidden">
        Context for a prompt
      </h2>
      <p className="result-line" role="status">
        {data
          ? `${count(data.tokens)} of ${count(state.maxTokens)} tokens, ${counted(data.citations.length, 'citation')}`
          : error
            ? 'Request failed'
            : 'Building the context…'}
      </p>
      <div className="field-row">
        <Field label="Token budget" hint={`${count(contextTokens.min)}–${count(contextTokens.max)}`}>
          {(given) => (
            <input
              {...given}
              key={state.maxTokens}
              type="number"
              min={contextTokens.min}
              max={contextTokens.max}
              step={50}
              defaultValue={state.maxTokens}
              onBlur={({ target }) => setTokens(target.value)}
              onKeyDown={({ key, currentTarget }) => key === 'Enter' && setTokens(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Grounding">
          {(given) => (
            <select
              {...given}
              value={state.grounding}
              onChange={({ target }) => onChange({ grounding: GROUNDINGS.find((each) => each === target.value) ?? 'Preferred' })}
            >
              {GROUNDINGS.map((each) => (
                <option key={each} value={each}>
                  {MEANING[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <ProblemNotice error={error} />
      {data && <ContextDetails context={data} budget={state.maxTokens} />}
    </section>
  );
}

/** Highlights the lines that start and end an excerpt. */
function Fenced({ text, fence }: Readonly<{ text: string; fence: string }>) {
  return text.split('\n').map((line, i) => (
    <Fragment key={i}>
      {i > 0 && '\n'}
      {line.startsWith(`=== ${fence} `) ? <span className="fence">{line}</span> : line}
    </Fragment>
  ));
}

function ContextDetails({ context, budget }: Readonly<{ context: ContextResult; budget: number }>) {
  const { text, fence, tokens, citations, leftOut, miss, refuse } = context;
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <NotYet shown={context.asOf} />
      <meter className="budget" min={0} max={budget} value={tokens} aria-label={`${tokens} of ${budget} tokens`} />
      {refuse && <p className="notice bad">Nothing was found and the grounding is strict: instruct the model not to answer.</p>}
      {miss && !refuse && <p className="notice">Little or no relevant content was found. The context says so.</p>}
      <div className="prompt-box">
        <div className="prompt-head">
          <h3>Text for the prompt</h3>
          <button type="button" className="button quiet small" onClick={() => void copy()}>
            {copied ? 'Copied' : 'Copy'}
          </button>
        </div>
        <pre tabIndex={0} aria-label="The context">
          {text === '' ? '(empty)' : <Fenced text={text} fence={fence} />}
        </pre>
        {citations.length > 0 && (
          <p className="hint">
            Lines that contain <code>{fence}</code> are written by the platform. The number changes with each request, so no document can
            fake the end of its excerpt.
          </p>
        )}
      </div>
      {citations.length > 0 && (
        <>
          <h3>Citations</h3>
          <ol className="citations">
            {citations.map((citation) => (
              <li key={citation.chunkId}>
                <code>{citation.label}</code> <PlaceLink place={citation}>{citation.title}</PlaceLink>
                {citation.truncated && <span className="muted"> shortened to fit</span>}
              </li>
            ))}
          </ol>
        </>
      )}
      {leftOut.length > 0 && (
        <details className="timings">
          <summary>{counted(leftOut.length, 'passage')} left out</summary>
          <ul>
            {leftOut.map(({ chunkId, reason }) => (
              <li key={chunkId}>
                <code className="id">{chunkId}</code> {LEFT_OUT[reason]}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
